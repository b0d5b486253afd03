import { type ErrorFamily, family, globs } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

/**
 * Matches the replies of SMTP servers that may pass (4yz), as nodemailer has them in the message: its `EENVELOPE` is the code of 451
 * and of 550. Before the end of the message nothing was accepted: greylisting, too many connections, a server that shuts down. A reply
 * after its end counts as ambiguous: a server may have passed the message on by then.
 */
export const smtp: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: 'EPROTOCOL', message: globs('Invalid greeting. response=4*', 'Invalid HELO. response=4*') },
    { code: 'ECONNECTION', message: globs('Server terminates connection. response=4*') },
    { code: 'EAUTH', message: globs('Invalid login: 4*') },
    {
      code: 'EENVELOPE',
      message: globs(
        'Mail command failed: 4*',
        "Can't send mail - all recipients were rejected: 4*",
        'Data command failed: 4*',
      ),
    },
  ],
  ambiguous: [
    { code: 'EMESSAGE', message: globs('Message failed: 4*') },
    { code: 'ECONNECTION', message: globs('Server closed the connection: 4*') },
  ],
  unless: NEVER_CONNECTS,
});
