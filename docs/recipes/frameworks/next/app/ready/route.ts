import { worker } from '../../queue.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  return new Response(null, { status: (await worker.isReady()) ? 200 : 503 });
}
