import { createServer } from 'node:http';
import { createRetryFetch } from '@retry/inprocess/fetch';

let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  response.writeHead(requests % 3 === 0 ? 200 : 503).end(`answer ${requests}`);
});
await new Promise<void>((resolve) => void server.listen(0, resolve));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

const fetchAgain = createRetryFetch({ maxAttempts: 5, backoff: { type: 'constant', base: '10ms' } });

const read = await fetchAgain(url);
console.log(read.status, await read.text()); // => 200 answer 3

const order = await fetchAgain(url, { method: 'POST', body: 'one pizza' });
console.log(order.status, await order.text()); // => 503 answer 4

server.close();
server.closeAllConnections();
