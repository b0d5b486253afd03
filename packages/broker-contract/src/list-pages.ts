import type { ListQuery } from '@retry/core/broker';
import type { CaseScene } from './case-scene.ts';

/** More pages than any case lists. */
const TOO_MANY = 1_000;

/**
 * Lists all pages of a query, and returns the ids on each.
 *
 * @param between - is called after each page but the last
 */
export async function listPages(
  { broker }: CaseScene,
  query: ListQuery,
  between: (ids: readonly string[]) => Promise<void> = async () => {},
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let after = query.after;
  while (pages.length < TOO_MANY) {
    const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
    const ids = runs.map(({ id }) => id);
    pages.push(ids);
    if (next === undefined) return pages;
    await between(ids);
    after = next;
  }
  throw new Error('the list has no last page');
}

/** Lists all pages of a query, and returns the ids. */
export async function listIds(scene: CaseScene, query: Partial<ListQuery>): Promise<readonly string[]> {
  return (await listPages(scene, { state: 'submitted', limit: 1_000, ...query })).flat();
}
