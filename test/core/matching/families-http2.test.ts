import { once } from 'node:events';
import type { ClientHttp2Session, ServerHttp2Stream } from 'node:http2';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { matchesError } from '@retry/core';
import { network } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';

function isTransient(error: unknown): boolean {
  return network.some((matcher) => matchesError(matcher, error));
}

/** Returns the error of a request to a server that does this to its streams. */
async function errorOf(
  act: (stream: ServerHttp2Stream) => void,
  ask: (client: ClientHttp2Session) => Promise<unknown> = request,
): Promise<unknown> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    act(stream);
  });
  server.on('sessionError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const client = connect(`http://127.0.0.1:${port}`);
  client.on('error', () => {});
  await once(client, 'connect');
  try {
    return await ask(client).then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    client.destroy();
    server.close();
  }
}

/** Sends a request and reads the response. */
async function request(client: ClientHttp2Session): Promise<void> {
  const stream = client.request({ ':path': '/' });
  stream.resume();
  await once(stream, 'close');
}

describe('network, of HTTP/2', () => {
  it.each(['NGHTTP2_REFUSED_STREAM', 'NGHTTP2_INTERNAL_ERROR', 'NGHTTP2_ENHANCE_YOUR_CALM'] as const)(
    'matches a stream that ends with %s',
    async (code) => {
      const error = await errorOf((stream) => stream.close(constants[code]));

      expect(error).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
      expect(isTransient(error)).toBe(true);
    },
  );

  it('matches a response that the server breaks off', async () => {
    const error = await errorOf((stream) => {
      stream.respond();
      stream.write('half', () => stream.destroy(new Error('broken')));
    });

    expect(isTransient(error)).toBe(true);
  });

  it('matches a session that the server ends with an internal error', async () => {
    const error = await errorOf((stream) => {
      stream.session?.destroy(new Error('broken'), constants.NGHTTP2_INTERNAL_ERROR);
    });

    expect(error).toMatchObject({ code: 'ERR_HTTP2_SESSION_ERROR' });
    expect(isTransient(error)).toBe(true);
  });

  it('matches a request on a session that the server leaves', async () => {
    const error = await errorOf(
      (stream) => stream.session?.goaway(),
      async (client) => {
        const first = client.request({ ':path': '/' });
        first.on('error', () => {});
        await once(client, 'goaway');
        await request(client);
      },
    );

    expect(error).toMatchObject({ code: 'ERR_HTTP2_GOAWAY_SESSION' });
    expect(isTransient(error)).toBe(true);
  });

  it.each(['NGHTTP2_PROTOCOL_ERROR', 'NGHTTP2_HTTP_1_1_REQUIRED', 'NGHTTP2_COMPRESSION_ERROR'] as const)(
    'does not match a stream that ends with %s',
    async (code) => {
      const error = await errorOf((stream) => stream.close(constants[code]));

      expect(error).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
      expect(isTransient(error)).toBe(false);
    },
  );
});
