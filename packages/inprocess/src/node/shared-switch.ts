/** What a switch turns on and off for the whole process. */
interface Switched {
  readonly on: () => void;
  readonly off: () => void;
}

/**
 * Creates a switch that several parts of a program turn on, each for itself: it is off again when the last of them has turned it off.
 *
 * @returns a function that turns it on, and returns one that turns it off
 */
export function sharedSwitch({ on, off }: Switched): () => () => void {
  const users = new Set<object>();
  return () => {
    const user = {};
    users.add(user);
    on();
    return () => {
      if (users.delete(user) && users.size === 0) off();
    };
  };
}
