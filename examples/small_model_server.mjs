// A server of one small model that has no tool parser: what the model writes is the content.
//   npm install node-llama-cpp
//   node small_model_server.mjs MODEL.gguf
import http from "node:http";
import { getLlama, LlamaCompletion } from "node-llama-cpp";

const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 1024 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });
const settings = { maxTokens: 60, temperature: 0, customStopTriggers: ["\nUser:"] };

const call = (args) => `<tool_call>\n${JSON.stringify({ name: "get_weather", arguments: args })}\n</tool_call>`;
const promptOf = ({ tools = [], messages }) =>
  `Tools: ${JSON.stringify(tools.map((tool) => tool.function))}\n\n` +
  `User: What is the weather in Paris?\nAssistant: ${call({ city: "Paris" })}\n\n` +
  `User: What is the weather in Rome for 2 days?\nAssistant: ${call({ city: "Rome", days: 2 })}\n\n` +
  `User: ${messages.at(-1).content}\nAssistant:`;

http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const asked = JSON.parse(Buffer.concat(parts));
  const head = { id: "chatcmpl-1", created: 1, model: "gemma-3-270m" };
  if (!asked.stream) {
    const content = await completion.generateCompletion(promptOf(asked), settings);
    const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices: [choice] }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) => {
    const chunk = { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send({ role: "assistant", content: "" });
  await completion.generateCompletion(promptOf(asked), { ...settings, onTextChunk: (content) => send({ content }) });
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}).listen(9333, "127.0.0.1", () => console.log("ready on http://127.0.0.1:9333"));
