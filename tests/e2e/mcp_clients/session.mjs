// An agent's session over MCP: look around, learn a type, remember, ask, fail with a hint, recover.
// The same for every client; `client` is connected.
export async function session(client) {
  const must = (holds, what) => {
    if (!holds) throw new Error("FAILED: " + what);
  };
  const call = async (name, args) => {
    const answer = await client.callTool({ name, arguments: args });
    must(JSON.parse(answer.content[0].text), "the text is JSON");
    return answer.structuredContent;
  };
  const kip = (args) => call("execute_kip", args);

  const tools = (await client.listTools()).tools;
  const names = tools.map((tool) => tool.name).join();
  must(names === "execute_kip,execute_kip_readonly,list_logs,ask,recall,remember,sleep,list_memories,update_memory,forget_memory,review,why", "tools: " + names);
  must(tools[1].annotations.readOnlyHint === true, "the reading tool says so");
  must((await client.listResources()).resources.length === 2, "resources");
  const card = (await client.readResource({ uri: "kip://docs/KIP.md" })).contents[0].text;
  must(card.includes("FIND("), "card");
  must((await client.getPrompt({ name: "kip_bootstrap" })).messages.length === 2, "prompt");

  must((await kip({ command: "DESCRIBE PRIMER" })).result.domain_map.length > 0, "primer");
  const etna = { command: 'UPSERT { CONCEPT { {type: "Volcano", name: :n} SET ATTRIBUTES {height_m: :h} } }',
                 parameters: { n: "Etna", h: 3403 } };
  const wrong = await kip(etna);
  must(wrong.error.code === "KIP_2001" && wrong.error.hint.length > 0, "an undefined type has a hint");
  const repaired = await kip({ atomic: true, commands: [
    'UPSERT { CONCEPT { {type: "$ConceptType", name: "Volcano"} SET ATTRIBUTES {description: "A mountain of fire"} } }',
    etna,
  ] });
  must(repaired.result.length === 2 && repaired.result.every((one) => one.result), "recovered");
  const find = 'FIND(?v.name, ?v.attributes.height_m) WHERE { ?v {type: "Volcano"} FILTER(?v.attributes.height_m > :h) }';
  const found = await call("execute_kip_readonly", { command: find, parameters: { h: 3000 } });
  must(JSON.stringify(found.result) === '[["Etna"],[3403]]', "found " + JSON.stringify(found));
  const asked = await call("ask", { question: "What is the height of Etna?", session: "a" });
  must(JSON.stringify(asked.rows) === '[["Etna",3403]]', "asked " + JSON.stringify(asked));
  const unknown = await call("ask", { question: "What is the colour of Etna?" });
  must(unknown.status === "not_understood" && unknown.unknown.join() === "colour", "the unknown word is named");
  const near = await kip({ command: 'FIND(?v) WHERE { ?v {type: "Vulcano"} }' });
  must(near.error.code === "KIP_2001" && near.error.hint.includes("Volcano"), "the near name is in the hint");
  const place = await kip({ command: 'FIND(?v)\nWHERE { ?v {type: "Volcano" }' });
  must(place.error.code === "KIP_1001" && place.error.data.line === 2, "a syntax error has its place");
  must((await call("execute_kip_readonly", etna)).error.code === "KIP_1001", "the reading tool writes nothing");
  const tried = await kip({ command: "DELETE CONCEPT ?v DETACH WHERE { ?v {type: \"Volcano\"} }", dry_run: true });
  must(tried.result.deleted_concepts === 1, "a dry run counts");
  must((await call("execute_kip_readonly", { command: 'FIND(COUNT(?v)) WHERE { ?v {type: "Volcano"} }' })).result === 1,
       "and removes nothing");
  return { must, call };
}
