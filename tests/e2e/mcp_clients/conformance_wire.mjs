// Loaded before the conformance suite (node --import): each of its requests shows the token of the
// server, for the suite knows none, and names a tool, resource or prompt of this server where it
// names one of its own fixtures (CONFORMANCE_ALIASES: {"test_simple_text": {"name": "ask", ..}}).
import http from 'node:http';
import { Agent, setGlobalDispatcher } from 'undici';

const aliases = JSON.parse(process.env.CONFORMANCE_ALIASES);

// The request as it goes out: the body with the aliases put in, and the header that repeats the name.
function as_sent(options) {
  const headers = new Headers();
  const given = options.headers ?? [];
  if (Array.isArray(given)) {
    for (let i = 0; i < given.length; i += 2) headers.append(String(given[i]), String(given[i + 1]));
  } else {
    for (const [name, value] of Symbol.iterator in given ? given : Object.entries(given))
      headers.append(name, String(value));
  }
  headers.set('authorization', `Bearer ${process.env.CONFORMANCE_TOKEN}`);
  return { ...options, headers: Object.fromEntries(headers) };
}

setGlobalDispatcher(
  new Agent().compose((dispatch) => (options, handler) => dispatch(as_sent(options), handler)));

// Some scenarios write their headers by hand.
const request = http.request;
http.request = (options, ...rest) => {
  options.headers = { ...options.headers, Authorization: `Bearer ${process.env.CONFORMANCE_TOKEN}` };
  return request(options, ...rest);
};

const sent = globalThis.fetch;
globalThis.fetch = (address, options = {}) => {
  if (typeof options.body !== 'string') return sent(address, options);
  const message = JSON.parse(options.body);
  const alias = aliases[message.params?.name ?? message.params?.uri];
  if (alias === undefined) return sent(address, options);
  Object.assign(message.params, alias);
  const headers = new Headers(options.headers);
  if (headers.has('mcp-name')) headers.set('mcp-name', alias.name ?? alias.uri);
  return sent(address, { ...options, headers, body: JSON.stringify(message) });
};
