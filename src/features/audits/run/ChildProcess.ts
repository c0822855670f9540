/** Platform adapter: starts the audit child with this program's own runtime (`process.execPath`). */
import * as Command from "@effect/platform/Command"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Child from "../../../foundation/process/Child.ts"
import { plain } from "../report/PlainText.ts"

const script = Bun.fileURLToPath(new URL("child/main.ts", import.meta.url))

/** Nothing else of this process's environment reaches the browser: no keys, no database address, no proxies. */
const inherited = ["FONTCONFIG_PATH"]

const environment = (directory: string) =>
  Effect.map(Child.inherited(inherited), (settings) => ({
    ...settings,
    HOME: directory,
    TMPDIR: directory,
    LANG: "C.UTF-8"
  }))

const lastLine = (text: string): string => plain(text.trim().split("\n").at(-1) ?? "", 300)

/**
 * Runs the audit child in a directory to its end, and returns the last line that it or the browser wrote to stderr. When the
 * scope ends, early or not, the whole process group (child and browser) is killed.
 */
export const runChild = Effect.fnUntraced(function* (directory: string) {
  const command = Command.make(process.execPath, script, directory).pipe(
    Command.workingDirectory(directory),
    Command.env(yield* environment(directory), { extendEnv: false })
  )
  const child = yield* Command.start(command)
  const kill = Effect.ignore(child.kill("SIGKILL"))
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.forkScoped(Stream.runDrain(child.stdout))
  const complaints = yield* Ref.make("")
  yield* child.stderr.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => Ref.update(complaints, (kept) => (kept + text).slice(-4_096))),
    Effect.forkScoped
  )
  yield* Effect.ignore(child.exitCode)
  return lastLine(yield* Ref.get(complaints))
})
