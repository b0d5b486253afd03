import type { Socket } from 'node:net';

/**
 * Tells each message of Postgres' protocol that comes by a socket, whole, with the letter of its type. A client's first
 * message has no letter: it is told as `startup`.
 */
export function splitFrames(
  socket: Socket,
  begin: 'typed' | 'startup first',
  hear: (type: string, frame: Buffer) => void,
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
      hear(type, frame);
    }
  });
}
