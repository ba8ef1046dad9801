// Lists of a server, which come page by page.
import {AnimaError} from './errors.js';

/**
 * `for await` goes over all of it. A loop that was left goes on where it was, in a second loop over the same list. `cursor`
 * is where a later program goes on.
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string) => Promise<{items: T[]; next: string}>;
  #rest: T[] = []; // of the page that is handed out
  #next: string | null; // null: there is no page behind it

  constructor(page: (cursor: string) => Promise<{items: T[]; next: string}>, cursor: string | null = '') {
    this.#page = page;
    this.#next = cursor;
  }

  /**
   * Where the next page begins: "" before the first, null at the end; a list that begins at null is empty. In the middle of a
   * page it is an error: a server goes on behind whole pages.
   */
  get cursor(): string | null {
    if (this.#rest.length > 0) {
      throw new AnimaError('invalid_argument', `${this.#rest.length} of this page are not handed out yet, and a cursor goes on behind whole pages`, {
        hint: 'take the rest of it, or go over `pages()`',
      });
    }
    return this.#next;
  }

  /** Something of the list that is not handed out is here; false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      if (this.#next === null) return false;
      const {items, next} = await this.#page(this.#next);
      this.#rest = [...items];
      this.#next = next || null;
    }
    return true;
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<T[], void, undefined> {
    while (await this.#fill()) {
      const page = this.#rest;
      this.#rest = [];
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    while (await this.#fill()) yield this.#rest.shift() as T;
  }
}
