import { PayloadError } from '@retry/worker';
import { queue } from '../../queue.ts';
import { sendMail } from '../../tasks.ts';

export async function POST(request: Request): Promise<Response> {
  const mail = (await request.json()) as { readonly to: string };
  try {
    return Response.json(await queue.submit(sendMail, mail), { status: 202 });
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return Response.json({ error: error.message }, { status: 400 });
  }
}
