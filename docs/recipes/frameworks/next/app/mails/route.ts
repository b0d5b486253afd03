import { queue } from '../../queue.ts';
import { sendMail } from '../../tasks.ts';

export async function POST(request: Request): Promise<Response> {
  const mail = (await request.json()) as { readonly to: string };
  return Response.json(await queue.submit(sendMail, mail), { status: 202 });
}
