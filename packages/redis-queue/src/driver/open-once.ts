/** What is opened by its first use, once; after a failure, again by the next use. */
export interface Opening<Opened> {
  readonly open: () => Promise<Opened>;
  /** What is opening or open. */
  readonly opening: () => Promise<Opened> | undefined;
  /** What is open: waiting for it again would cost each command a promise. */
  readonly opened: () => Opened | undefined;
}

/** Opens something by its first use. */
export function openOnce<Opened>(start: () => Promise<Opened>): Opening<Opened> {
  let opening: Promise<Opened> | undefined;
  let opened: Opened | undefined;
  const begin = (): Promise<Opened> => {
    const starting = start().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    // Before anyone else waits for it: noted earlier, a later user could overtake those that wait.
    starting.then(
      (open) => {
        opened = open;
      },
      () => {}, // its callers receive the error
    );
    return starting;
  };
  return {
    open: () => {
      opening ??= begin();
      return opening;
    },
    opening: () => opening,
    opened: () => opened,
  };
}
