// What a method is given: names of options that it does not know, and texts that are none, are refused here, for plain
// JavaScript has no types that would.
import {AnimaError} from './errors.js';
import {isWellFormed} from './json.js';
import type {CallOptions, WriteOptions} from './transport.js';

function distance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, place) => place);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `did you mean "x"?`, or "" where nothing is near. */
export function didYouMean(wanted: string, known: readonly string[]): string {
  const folded = (name: string) => name.replace(/[_-]/g, '').toLowerCase();
  const near = known.map((name) => ({name, far: distance(folded(wanted), folded(name))})).sort((a, b) => a.far - b.far)[0];
  return near !== undefined && near.far <= Math.ceil(wanted.length / 3) ? `did you mean "${near.name}"?` : '';
}

function refuse(detail: string, hint = ''): never {
  throw new AnimaError('invalid_argument', detail, {hint});
}

function checked(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) refuse('options are an object', `of: ${known.join(', ')}`);
  for (const name of Object.keys(options as object)) {
    if (!known.includes(name)) refuse(`there is no option "${name}" here`, didYouMean(name, known) || `there are: ${known.join(', ')}`);
  }
}

/** That a method that only asks knows its options: those of each call, and its own. */
export function asks<Options extends CallOptions>(options: Options, ...own: Exclude<keyof Options & string, keyof CallOptions>[]): Options {
  checked(options, [...own, 'signal', 'timeout']);
  return options;
}

/** The same of one that writes. */
export function writes<Options extends WriteOptions>(options: Options, ...own: Exclude<keyof Options & string, keyof WriteOptions>[]): Options {
  checked(options, [...own, 'signal', 'timeout', 'idempotencyKey']);
  return options;
}

/** The same of what is no call. */
export function takes<Options extends object>(options: Options, ...own: (keyof Options & string)[]): Options {
  checked(options, own);
  return options;
}

/** A text, whole and of Unicode. */
export function textOf(value: string, what: string): string {
  if (typeof value !== 'string') refuse(`${what} is a text`, `it was given as ${value === null ? 'null' : typeof value}`);
  if (!isWellFormed(value)) refuse(`${what} holds half of a pair of surrogates`, 'text is Unicode, which has whole ones');
  return value;
}

/** The same, which says something. */
export function wordsOf(value: string, what: string): string {
  if (textOf(value, what).trim() === '') refuse(`${what} is empty`);
  return value;
}

/** The number of an entry or a run. */
export function numberOf(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value < 0) refuse(`${what} is a whole number`);
  return value;
}
