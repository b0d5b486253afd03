import { setTimeout } from 'node:timers/promises';
import { defineTask } from '@retry/worker';

export const sendMail = defineTask({
  name: 'send-mail',
  run: async ({ to }: { readonly to: string }) => {
    console.log(`sending to ${to}`);
    await setTimeout(500); // stands for your SMTP client
    console.log(`sent to ${to}`);
  },
});
