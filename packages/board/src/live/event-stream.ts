/** One page that listens. */
export interface Listener {
  /** Sends an event; until the page takes it, a newer one of the same name replaces it. */
  readonly send: (name: string, event: string) => void;
  readonly end: () => void;
}

/** When a page begins to listen, and when it leaves. */
interface StreamHooks {
  readonly joined: (listener: Listener) => void;
  readonly left: (listener: Listener) => void;
}

/** How often a stream says that it is alive. */
const ALIVE_EVERY_MS = 15_000;

/** A stream ends after this; its browser asks for another one, and `access` is asked again. */
const MAX_STREAM_MS = 300_000;

/** Creates a stream of server-sent events. A page that takes none costs one event of each name. */
export function createEventStream({ joined, left }: StreamHooks): ReadableStream<Uint8Array> {
  const outbox = createOutbox();
  let leave = (): void => {};
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const end = (): void => {
        leave();
        controller.close();
      };
      const listener = { send: outbox.send, end };
      const alive = setInterval(() => outbox.send('', ':\n\n'), ALIVE_EVERY_MS);
      const longest = setTimeout(end, MAX_STREAM_MS);
      leave = () => {
        clearInterval(alive);
        clearTimeout(longest);
        outbox.open(undefined);
        left(listener);
      };
      outbox.open(controller);
      joined(listener);
    },
    pull: outbox.flush,
    cancel: () => leave(),
  });
}

interface Outbox extends Pick<Listener, 'send'> {
  readonly open: (controller: ReadableStreamDefaultController<Uint8Array> | undefined) => void;
  readonly flush: () => void;
}

function createOutbox(): Outbox {
  const encoder = new TextEncoder();
  const waiting = new Map<string, string>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const flush = (): void => {
    for (const [name, event] of waiting) {
      if (controller === undefined || (controller.desiredSize ?? 0) <= 0) return;
      waiting.delete(name);
      controller.enqueue(encoder.encode(event));
    }
  };
  return {
    flush,
    send: (name, event) => {
      waiting.set(name, event);
      flush();
    },
    open: (opened) => {
      controller = opened;
    },
  };
}
