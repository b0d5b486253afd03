/** `npm run test:real -- exports`: gives exported policies to real systems, and compares the delays with the bounds of the policies. */
import { checkCloudTasks } from './exports/cloud-tasks.ts';
import { checkGrpc } from './exports/grpc.ts';
import { checkLaravel } from './exports/laravel.ts';
import { checkNats } from './exports/nats.ts';
import { checkSqs } from './exports/sqs.ts';
import { checkStepFunctions } from './exports/step-functions.ts';
import { checkTenacity } from './exports/tenacity.ts';

await checkTenacity();
await checkLaravel();
await checkCloudTasks();
await checkStepFunctions();
await checkSqs();
await checkGrpc();
await checkNats();
