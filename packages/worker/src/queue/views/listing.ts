/** A page of what is listed. */
export interface ListPage<Item> {
  /** What is listed, at most `limit`; perhaps fewer, or none, though there is a `next`. */
  readonly runs: readonly Item[];
  /** Where the next page begins, as `after` takes it; absent on the last page. It may be kept, but not read. */
  readonly next?: string;
}

/**
 * What a method that lists returns. `await` it for one page, or iterate over it with `for await`, which reads page after page while it
 * goes.
 */
export interface Listing<Item, Page extends ListPage<Item> = ListPage<Item>>
  extends Promise<Page>,
    AsyncIterable<Item> {}

/**
 * Returns a listing.
 *
 * @param first - the first page, which is being read already
 * @param readAfter - reads the page that begins there
 */
export function createListing<Item, Page extends ListPage<Item>>(
  first: Promise<Page>,
  readAfter: (after: string) => Promise<Page>,
): Listing<Item, Page> {
  const iterator = async function* (): AsyncGenerator<Item> {
    for (let page = await first; ; page = await readAfter(page.next)) {
      yield* page.runs;
      if (page.next === undefined) return;
    }
  };
  return Object.assign(first, { [Symbol.asyncIterator]: iterator });
}
