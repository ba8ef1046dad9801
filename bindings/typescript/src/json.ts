// JSON with whole numbers of 64 bits: those that a number does not hold exactly are bigint, in both directions.
import {AnimaError} from './errors.js';

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
/** What is sent: members that are undefined are left out. */
export type JsonInput = null | boolean | number | bigint | string | readonly JsonInput[] | {readonly [name: string]: JsonInput | undefined};

const mostDeep = 64;
const leastWhole = -(2n ** 63n);
const mostWhole = 2n ** 63n - 1n;
const maybeLong = /[0-9]{16}/;

function refuse(detail: string, hint: string): never {
  throw new AnimaError('invalid_argument', detail, {hint});
}

// As the server would refuse it, in words of who wrote no JSON. Looks at pairs, as isWellFormed() of Node 20 does.
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether each surrogate of a text has its other half. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

function quoted(text: string): string {
  if (!isWellFormed(text)) refuse('a text holds half of a pair of surrogates', 'text is Unicode, which has whole ones');
  return JSON.stringify(text);
}

function plain(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || parent === Object.prototype || Object.getPrototypeOf(parent as object) === null;
}

function scalarText(value: JsonInput | undefined): string | undefined {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) refuse('JSON has no NaN and no infinity', 'null says that it is unknown');
      return JSON.stringify(value);
    case 'bigint':
      if (value < leastWhole || value > mostWhole) refuse('an integer is beyond 64 bits', 'a string keeps all of its digits');
      return value.toString();
    case 'string':
      return quoted(value);
    case 'boolean':
      return JSON.stringify(value);
    case 'object':
      return value === null ? 'null' : undefined;
    default:
      return refuse(`JSON has no ${typeof value}`, 'a JSON value is null, a boolean, number, bigint, string, array or object');
  }
}

/** The text of a value. Errors: invalid_argument, limit_exceeded. */
export function writeJson(value: JsonInput, depth = 0): string {
  if (depth > mostDeep) throw new AnimaError('limit_exceeded', `a value nests deeper than ${mostDeep} levels`, {hint: 'does it hold itself?'});
  const scalar = scalarText(value);
  if (scalar !== undefined) return scalar;
  if (Array.isArray(value)) return `[${(value as readonly JsonInput[]).map((each) => writeJson(each, depth + 1)).join(',')}]`;
  if (!plain(value as object)) refuse(`JSON has no ${(value as object).constructor.name}`, 'a plain object says it: {...value}, Object.fromEntries(map), [...set]');
  const members = Object.entries(value as {[name: string]: JsonInput | undefined}).filter(([, each]) => each !== undefined);
  return `{${members.map(([name, each]) => `${quoted(name)}:${writeJson(each as JsonInput, depth + 1)}`).join(',')}}`;
}

/** Errors: io, for what is no JSON. */
export function parseJson(text: string): Json {
  try {
    if (!maybeLong.test(text)) return JSON.parse(text) as Json;
    return longWhole(JSON.parse(marked(text)) as Json);
  } catch {
    throw new AnimaError('io', 'the server answers with what is no JSON', {hint: 'is it `anima serve`?'});
  }
}

// Strings are passed over whole; a whole number of 16 digits or more becomes a string that begins with the mark, and a
// string that begins with it gets one more.
const mark = '\u0001';
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

function marked(text: string): string {
  return text.replace(token, (found) => {
    if (found.startsWith('"')) return found.startsWith('"\\u0001') ? `"\\u0001${found.slice(1)}` : found;
    return found.length >= 16 && /^-?[0-9]+$/.test(found) ? `"\\u0001${found}"` : found;
  });
}

function unmarked(text: string): Json {
  if (!text.startsWith(mark)) return text;
  const rest = text.slice(1);
  if (rest.startsWith(mark)) return rest;
  const whole = BigInt(rest);
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

function longWhole(value: Json): Json {
  if (typeof value === 'string') return unmarked(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(longWhole);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.startsWith(mark) ? String(unmarked(name)) : name, longWhole(each)]));
}
