import type { StudioLink } from './studio-state.ts';

const PAUSE_MS = 300;

/**
 * Keeps the texts and the choice of failures in the fragment of the address, which no server is sent.
 *
 * @param path - what the fragment begins with, without `#`: `/studio`, or `''`
 */
export function createHashLink(path: string): StudioLink {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    read: () => {
      const query = location.hash.slice(1 + path.length).replace(/^\?/, '');
      const params = new URLSearchParams(query);
      return { texts: params.getAll('policy'), failures: params.get('failures') ?? undefined };
    },
    // Browsers limit how often the address may change.
    write: ({ texts, failures }) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const query = new URLSearchParams(texts.map((text) => ['policy', text]));
        if (failures !== undefined) query.set('failures', failures);
        if (location.hash.startsWith(`#${path}`) || location.hash === '') {
          history.replaceState(null, '', `#${path}?${query}`);
        }
      }, PAUSE_MS);
    },
  };
}
