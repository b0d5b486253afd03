import type { Socket } from 'node:net';

/**
 * Passes each whole message of the Postgres protocol on a socket to a listener, with the letter of its type. The first
 * message of a client has no letter: its type is `startup`.
 */
export function splitFrames(
  socket: Socket,
  begin: 'typed' | 'startup first',
  onFrame: (type: string, frame: Buffer) => void,
): void {
  let rest = Buffer.alloc(0);
  let isStartup = begin === 'startup first';
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const lengthAt = isStartup ? 0 : 1;
      if (rest.length < lengthAt + 4) return;
      const end = lengthAt + rest.readInt32BE(lengthAt);
      if (rest.length < end) return;
      const frame = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = isStartup ? 'startup' : String.fromCharCode(frame[0] ?? 0);
      isStartup = false;
      onFrame(type, frame);
    }
  });
}
