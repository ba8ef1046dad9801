// Rows of a KIP query as records.
import type {Json, JsonObject} from './json.js';

export type Row = Record<string, Json>;

function nameOf(column: string): string {
  const name = column.replace(/\W+/g, '_').replace(/^_+|_+$/g, '');
  return /^\?[\w.]+$/.test(column) ? name : name.toLowerCase();
}

/**
 * The members of the records by the columns: the end of a column where no other ends like it ("?h.attributes.ram_gb" is
 * `ram_gb`, "COUNT(?h)" `count_h`), else the whole of it ("?h.name" beside "?s.name" is `h_name`).
 */
function memberNames(columns: readonly string[]): Map<string, string> {
  const ends = columns.map((column) => nameOf(column.slice(column.lastIndexOf('.') + 1)));
  const wholes = columns.map(nameOf);
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
