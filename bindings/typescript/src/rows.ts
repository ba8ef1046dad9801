// Rows of a KIP query as records.
import type {Json, JsonObject} from './json.js';

export type Row = Record<string, Json>;

const plainColumn = /^\?[\p{L}\p{N}_.]+$/u;

/** A name in the letters that it has; of what is computed ("COUNT(?h)") the words in lower case. */
function nameOf(column: string, text: string): string {
  if (plainColumn.test(column)) return text.replace(/^\?/, '').replaceAll('.', '_');
  return text.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^_+|_+$/g, '').toLowerCase();
}

/**
 * The members of the records by the columns: the end of a column where no other ends like it ("?h.attributes.ram_gb" is
 * `ram_gb`, "COUNT(?h)" `count_h`), else the whole of it ("?h.name" beside "?s.name" is `h_name`), else the column as it is written.
 */
function memberNames(columns: readonly string[]): Map<string, string> {
  const ends = columns.map((column) => nameOf(column, column.slice(column.lastIndexOf('.') + 1)));
  const wholes = columns.map((column) => nameOf(column, column));
  const names = columns.map((column, place) => {
    const end = ends[place] ?? '';
    if (end && ends.filter((each) => each === end).length === 1) return end;
    const whole = wholes[place] ?? '';
    return whole && wholes.filter((each) => each === whole).length === 1 && !ends.includes(whole) ? whole : column;
  });
  return new Map(columns.map((column, place) => [column, names[place] ?? column]));
}

/** The rows of a KIP answer in the shape "rows"; what is no object stands in `result`. */
export function rowsOf(result: Json): Row[] {
  const items: readonly Json[] = Array.isArray(result) ? (result as readonly Json[]) : [result];
  const whole = items.map((item): JsonObject => (typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as JsonObject) : {result: item}));
  const names = memberNames([...new Set(whole.flatMap((item) => Object.keys(item)))]);
  return whole.map((item) => Object.fromEntries([...names].map(([column, name]) => [name, item[column] ?? null])));
}
