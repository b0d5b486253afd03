import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A proxy in front of a server that can fail as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** The next request that contains the text still arrives; its reply does not, and the connection breaks. */
  readonly loseReplyTo: (text: string) => void;
  /** From now on existing connections pass nothing in either direction, and are not closed. */
  readonly goDeaf: () => void;
  /** The same, also for connections that are opened later. */
  readonly stayDeaf: () => void;
  /** How many replies were lost so far. */
  readonly lost: () => number;
  readonly connections: () => number;
  /** Breaks all connections; later ones go to another port. */
  readonly aimAt: (target: number) => void;
  readonly close: () => Promise<void>;
}

/** Opens a proxy to a port of this machine. */
export async function openProxy(first: number): Promise<TcpProxy> {
  let target = first;
  let wanted: string | undefined;
  let lost = 0;
  let connections = 0;
  let staysDeaf = false;
  const links = new Set<Link>();
  const server = createServer((near) => {
    connections += 1;
    const link = { near, far: connect(target, '127.0.0.1'), isDeaf: staysDeaf, isDoomed: false };
    links.add(link);
    near.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined;
        link.isDoomed = true;
      }
      if (!link.isDeaf) link.far.write(chunk);
    });
    link.far.on('data', (chunk) => {
      if (link.isDoomed) {
        lost += 1;
        breakOff(link);
      } else if (!link.isDeaf) near.write(chunk);
    });
    for (const socket of [near, link.far]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        links.delete(link);
        if (!link.isDeaf) breakOff(link);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const goDeaf = (): void => {
    for (const link of links) link.isDeaf = true;
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseReplyTo: (text) => {
      wanted = text;
    },
    goDeaf,
    stayDeaf: () => {
      staysDeaf = true;
      goDeaf();
    },
    lost: () => lost,
    connections: () => connections,
    aimAt: (port) => {
      target = port;
      for (const link of links) breakOff(link);
    },
    close: async () => {
      for (const link of links) breakOff(link);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isDeaf: boolean;
  isDoomed: boolean;
}

function breakOff({ near, far }: Link): void {
  near.destroy();
  far.destroy();
}
