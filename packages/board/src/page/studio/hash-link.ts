import type { StudioLink } from './studio-state.ts';

const PAUSE_MS = 300;

/**
 * Keeps the texts in the fragment of the address, which no server is sent.
 *
 * @param path - what the fragment begins with, without `#`: `/studio`, or `''`
 */
export function createHashLink(path: string): StudioLink {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    read: () => {
      const query = location.hash.slice(1 + path.length).replace(/^\?/, '');
      return new URLSearchParams(query).getAll('policy');
    },
    // Browsers limit how often the address may change.
    write: (texts) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const query = new URLSearchParams(texts.map((text) => ['policy', text]));
        if (location.hash.startsWith(`#${path}`) || location.hash === '') {
          history.replaceState(null, '', `#${path}?${query}`);
        }
      }, PAUSE_MS);
    },
  };
}
