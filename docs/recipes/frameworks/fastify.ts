import { PayloadError } from '@retry/worker';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import type { Mail } from './queue.ts';
import { broker, queue, sendMail, worker } from './queue.ts';

/** A plugin: the worker lives as long as the application. */
async function queuePlugin(app: FastifyInstance): Promise<void> {
  app.addHook('onReady', async () => worker.start());
  app.addHook('onClose', async () => {
    await worker.stop();
    await broker.close();
  });
  app.get('/ready', async (_request, reply) => {
    return reply.code((await worker.isReady()) ? 200 : 503).send();
  });
}

const app = Fastify();
app.setErrorHandler((error, _request, reply) => {
  return error instanceof PayloadError ? reply.code(400).send({ error: error.message }) : reply.send(error);
});
app.register(queuePlugin);
app.post<{ Body: Mail }>('/mails', async (request, reply) => {
  return reply.code(202).send(await queue.submit(sendMail, request.body));
});

process.once('SIGTERM', () => app.close());
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
