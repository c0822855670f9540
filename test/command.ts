import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Run from "../src/app/node/Run.ts"
import { asked } from "../src/app/operator/Commands.ts"
import * as CommandLine from "../src/foundation/terminal/CommandLine.ts"

const findable = (line: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.all(asked(line)), (commands) =>
    CommandLine.run(Command.make("findable").pipe(Command.withSubcommands(commands)), commands, line)
  )

/**
 * Runs an administrator's command to its end as `run` of `cli.ts` does, but in this process: output, log and exit are the same, and no process is started.
 * Where tests of a file differ only in the arguments of the command they can use this; at least one of them should start a process.
 */
export const run = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    const told: Array<string> = []
    const into = (lines: Array<string>) => (line: string) => Effect.sync(() => lines.push(line, "\n"))
    const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
    const logger = Logger.make(({ message }) => told.push(String(message), "\n"))
    const exit = yield* findable(CommandLine.plainLine(["bun", "findable", ...words])).pipe(
      Effect.tapErrorCause((cause) => Run.explain(cause, () => false)),
      Effect.provide([BunContext.layer, Logger.replace(Logger.defaultLogger, logger)]),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
      Console.withConsole({ ...console, error: into(told), log: into(printed), unsafe }),
      Effect.exit
    )
    return {
      code: Exit.isSuccess(exit) ? 0 : Run.codeOf(exit.cause),
      stderr: told.join(""),
      stdout: printed.join("")
    }
  })
