import { type Board, toNodeListener } from '@retry/board';
import type { FastifyInstance } from 'fastify';

/** Mounts a board in Fastify, as docs/board.md shows it. */
export function mountInFastify(fastify: FastifyInstance, board: Board): void {
  const answer = toNodeListener(board);
  fastify.register(async (scope) => {
    scope.addHook('preClose', async () => board.close());
    // The board reads bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const path of ['/admin/board', '/admin/board/*']) {
      scope.all(path, (request, reply) => {
        reply.hijack();
        answer(request.raw, reply.raw);
      });
    }
  });
}
