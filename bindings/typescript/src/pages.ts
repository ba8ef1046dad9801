// Lists of a server, which come page by page.

/** `for await` goes over all of it; `cursor` is where the next page begins, and goes on in a later program. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string) => Promise<{items: T[]; next: string}>;
  /** Where the next page begins; "" at the beginning and at the end. */
  cursor: string;

  constructor(page: (cursor: string) => Promise<{items: T[]; next: string}>, cursor = '') {
    this.#page = page;
    this.cursor = cursor;
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<T[], void, undefined> {
    do {
      const {items, next} = await this.#page(this.cursor);
      this.cursor = next;
      yield items;
    } while (this.cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page;
  }
}
