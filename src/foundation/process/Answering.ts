/** Platform adapter (`process.exit`): the process that answers the questions of `Questions.ts`. The process ends with its input, that is, with the parent. */
import type { Teardown } from "@effect/platform/Runtime"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunSink from "@effect/platform-bun/BunSink"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Kind } from "./Questions.ts"
import { unshared } from "./Turns.ts"

/** Exits explicitly: a pending read of standard input would keep the process alive. */
const teardown: Teardown = (exit) => process.exit(Exit.isSuccess(exit) ? 0 : 1)

/** Answers each question of standard input on standard output; a defect ends the process. */
export const run = <Q, QI, A, AI>(
  { answer, question }: Kind<Q, QI, A, AI>,
  answered: (question: Q) => Effect.Effect<A>
) => {
  const decode = Schema.decode(Schema.parseJson(question))
  const encode = Schema.encode(Schema.parseJson(answer))
  const program = BunStream.stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect((line) => Effect.flatMap(Effect.flatMap(decode(line), answered), encode)),
    Stream.map((line) => `${line}\n`),
    Stream.encodeText,
    Stream.run(BunSink.stdout)
  )
  // Standard output is for answers, so the runtime reports no error there. The parent notices the end of the process.
  BunRuntime.runMain(unshared(program), { disableErrorReporting: true, disablePrettyLogger: true, teardown })
}
