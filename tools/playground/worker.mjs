// The worker: Python compiled to WebAssembly, with utp. It fetches files of this host only; its policy is the page's.

let read = null;

function counted(total) {
  // Tell how much has arrived, whoever fetches it.
  const fetched = globalThis.fetch;
  let have = 0;
  globalThis.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    if (!answer.body) return answer;
    const count = new TransformStream({
      transform(chunk, onward) {
        have += chunk.byteLength;
        postMessage({ progress: Math.min(have / total, 0.95) });
        onward.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(count), { status, statusText, headers });
  };
}

async function load(base) {
  const listed = await fetch(`${base}vendor/files.json`);
  if (!listed.ok) throw new Error("this site was built without it (python -m tools.playground_files)");
  const { total, archives } = await listed.json();
  counted(total);
  postMessage({ said: "Loading Python …" });
  const { loadPyodide } = await import(`${base}vendor/pyodide.mjs`);
  const python = await loadPyodide({ indexURL: `${base}vendor/` });
  postMessage({ said: "Loading utp …" });
  for (const name of archives) {
    const answer = await fetch(`${base}vendor/${name}`);
    python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: "/lib/playground" });
  }
  python.runPython("import sys; sys.path.insert(0, '/lib/playground')");
  read = python.runPython("from playground import answer; answer");
  postMessage({ progress: 1, ready: true });
}

onmessage = async ({ data }) => {
  try {
    if (data.base) await load(data.base);
    else if (read) postMessage({ id: data.id, ...JSON.parse(read(JSON.stringify(data))) });
  } catch (error) {
    postMessage({ id: data.id, plain: "", said: `It failed: ${error.message ?? error}` });
  }
};
