// The page: what is asked goes to a worker, what comes back is shown. Nothing is ever sent to a server.

const $ = (id) => document.getElementById(id);
const FIELDS = ["text", "tools", "model", "provider", "format"];
const MOST = 4_000_000; // characters that a link may unpack to
const DAMAGED = "This link is damaged: nothing was read from it.";
const EXAMPLE = {
  kind: "parse",
  text: JSON.stringify({
    object: "chat.completion", model: "Qwen/Qwen3-32B",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", tool_calls: [],
      content: 'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lisbon", "days": 2,}}\n</tool_call>' } }],
  }, null, 1),
  tools: "tools:\n  - name: get_weather\n    description: Get the forecast of a city for the next days.\n" +
    "    parameters:\n      type: object\n      properties:\n        city: {type: string, description: Name of the city.}\n" +
    "        days: {type: integer, description: How many days.}\n      required: [city]\n",
  provider: "vllm",
};

// The worker is made of a blob, so that the policy of this page binds it too.
const start = `import ${JSON.stringify(new URL("worker.mjs", location.href).href)};`;
const worker = new Worker(URL.createObjectURL(new Blob([start], { type: "text/javascript" })), { type: "module" });
worker.postMessage({ base: new URL(".", location.href).href });

let ready = false, asked = 0, shown = null;
let linked = null; // whether a link was read; null where there was none

worker.onmessage = ({ data }) => {
  if (data.progress !== undefined) $("progress").value = data.progress;
  if (data.said !== undefined) say(data.said);
  if (data.ready) {
    ready = true;
    $("progress").hidden = true;
    $("run").disabled = false;
    say(linked === false ? DAMAGED : "Ready.");
    if (linked) run();
  }
  if (data.id === asked && data.id) show(data);
};
worker.onerror = (event) => say(`It could not be loaded: ${event.message || "see the console"}`);

function say(text) { $("said").textContent = text; }
function kind() { return document.querySelector("input[name=kind]:checked").value; }

function arrange() {
  for (const element of document.querySelectorAll("[data-for]"))
    element.hidden = !element.dataset.for.split(" ").includes(kind());
}

function state() {
  return Object.fromEntries([["kind", kind()], ...FIELDS.map((name) => [name, $(name).value]).filter(([, value]) => value)]);
}

function fill(given) {
  const radio = document.querySelector(`input[name=kind][value="${CSS.escape(String(given.kind ?? "parse"))}"]`);
  if (radio) radio.checked = true;
  for (const name of FIELDS) $(name).value = typeof given[name] === "string" ? given[name] : "";
  arrange();
}

function columns() {
  // How many characters of a result fit beside each other.
  const measure = document.createElement("canvas").getContext("2d");
  measure.font = getComputedStyle($("plain")).font;
  return Math.floor(($("result").clientWidth - 28) / measure.measureText("0").width);
}

function run() {
  if (!ready) return;
  asked += 1;
  say("Reading …");
  worker.postMessage({ id: asked, columns: columns(), ...state() });
}

function show({ html, plain, said }) {
  if (shown) URL.revokeObjectURL(shown);
  shown = html ? URL.createObjectURL(new Blob([html], { type: "text/html" })) : null;
  $("report").hidden = !html;
  $("plain").hidden = Boolean(html);
  if (html) $("report").src = shown;
  $("plain").textContent = plain ?? "";
  say(said ?? "");
  // On a phone the result is below what can be seen.
  if ($("result").getBoundingClientRect().top > innerHeight / 2) $("said").scrollIntoView();
}

async function packed(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
    .pipeThrough(new TextDecoderStream()).getReader();
  let json = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    json += part.value;
    if (json.length > MOST) throw new Error("too long");
  }
  return JSON.parse(json);
}

async function read() {
  if (location.hash.length < 2) return;
  try {
    fill(await unpacked(location.hash.slice(1)));
    linked = true;
    run();
  } catch {
    linked = false;
    say(DAMAGED);
  }
}

$("form").addEventListener("submit", (event) => { event.preventDefault(); run(); });
$("kinds").addEventListener("change", arrange);
$("example").addEventListener("click", () => { fill(EXAMPLE); run(); });
$("share").addEventListener("click", async () => {
  history.replaceState(null, "", `#${await packed(state())}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is on your clipboard. It holds what you pasted, keys too.");
  } catch {
    say("The link stands in the address bar. It holds what you pasted, keys too.");
  }
});
window.addEventListener("hashchange", read);
arrange();
read();
