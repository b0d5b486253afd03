import { channel } from 'node:diagnostics_channel';

/** What listens to a channel. */
type Listener = (message: never) => void;

/**
 * Listens to channels. What a listener throws changes nothing: Node would end the process.
 *
 * @returns stops listening
 */
export function listenTo(listeners: Readonly<Record<string, Listener>>): () => void {
  const removers = Object.entries(listeners).map(([name, listener]) => {
    const target = channel(name);
    const guarded = (message: unknown): void => {
      try {
        listener(message as never); // as the publisher of this channel makes it
      } catch {
        // Telemetry is lost, nothing else.
      }
    };
    target.subscribe(guarded);
    return () => void target.unsubscribe(guarded);
  });
  return () => {
    for (const remove of removers) remove();
  };
}
