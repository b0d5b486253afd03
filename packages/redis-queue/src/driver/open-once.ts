import { callOutside } from './outside.ts';

/** What is opened by its first use, once; after a failure, again by the next use. */
export interface Opening<Opened> {
  readonly open: () => Promise<Opened>;
  /** What is opening or open. */
  readonly opening: () => Promise<Opened> | undefined;
}

/**
 * Opens something by its first use, outside the `AsyncLocalStorage` of its caller.
 *
 * @param onOpen - called when it is open, before anyone who waits for it goes on
 */
export function openOnce<Opened>(
  start: () => Promise<Opened>,
  onOpen: (opened: Opened) => void = () => {},
): Opening<Opened> {
  let opening: Promise<Opened> | undefined;
  const begin = (): Promise<Opened> => {
    const starting = callOutside(start).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    starting.then(onOpen, () => {}); // its callers receive the error
    return starting;
  };
  return {
    open: () => {
      opening ??= begin();
      return opening;
    },
    opening: () => opening,
  };
}
