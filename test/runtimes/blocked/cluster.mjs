/** The program in two workers of node:cluster: one blocks its event loop, the other one is alive beside it. */
import cluster from 'node:cluster';

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else await import('./program.mjs');
