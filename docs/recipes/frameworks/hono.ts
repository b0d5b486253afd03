import { serve } from '@hono/node-server';
import { PayloadError } from '@retry/worker';
import { Hono } from 'hono';
import { broker, queue, sendMail, worker } from './queue.ts';

const app = new Hono();
app.post('/mails', async (context) => {
  return context.json(await queue.submit(sendMail, await context.req.json()), 202);
});
app.get('/ready', async (context) => context.body(null, (await worker.isReady()) ? 200 : 503));
app.onError((error, context) => {
  if (error instanceof PayloadError) return context.json({ error: error.message }, 400);
  throw error;
});

worker.start();
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) });

process.once('SIGTERM', async () => {
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()]);
  await broker.close();
});
