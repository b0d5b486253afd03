/** Characters whose order by UTF-16 is not that of their bytes in UTF-8. */
const IN_ANOTHER_ORDER = /[\ud800-\uffff]/;

/** Compares ids as Redis does: by their bytes. */
export function compareIds(left: string, right: string): number {
  if (left === right) return 0;
  if (IN_ANOTHER_ORDER.test(left) || IN_ANOTHER_ORDER.test(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

/** The first of many ids, without keeping them all: each once, those after an id, in order. */
export class FirstIds {
  readonly #limit: number;
  readonly #after: string | undefined;
  #ids: string[] = [];
  /** The last of a full page: later ids are not kept. */
  #lastId: string | undefined;

  constructor(limit: number, after: string | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Returns whether the id may be one of the first. */
  isWanted(id: string): boolean {
    if (this.#after !== undefined && compareIds(id, this.#after) <= 0) return false;
    return this.#lastId === undefined || compareIds(id, this.#lastId) < 0;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) if (this.isWanted(id)) this.#ids.push(id);
    // Sorted once per page of new ids, so that a long list is never sorted as a whole.
    if (this.#ids.length >= 2 * this.#limit) this.#cut();
  }

  all(): readonly string[] {
    this.#cut();
    return this.#ids;
  }

  #cut(): void {
    const sorted = [...new Set(this.#ids)].sort(compareIds);
    this.#ids = sorted.slice(0, this.#limit);
    if (this.#ids.length === this.#limit) this.#lastId = this.#ids.at(-1);
  }
}
