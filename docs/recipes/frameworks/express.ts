import { PayloadError } from '@retry/worker';
import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import { broker, queue, sendMail, worker } from './queue.ts';

const app = express();
app.use(express.json());
app.post('/mails', async (request, response) => {
  response.status(202).json(await queue.submit(sendMail, request.body));
});
app.get('/ready', async (_request, response) => {
  response.sendStatus((await worker.isReady()) ? 200 : 503);
});
app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (error instanceof PayloadError) response.status(400).json({ error: error.message });
  else next(error);
});

worker.start();
const server = app.listen(Number(process.env['PORT'] ?? 3000));

process.once('SIGTERM', async () => {
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()]);
  await broker.close();
});
