import * as Command from "@effect/cli/Command"
import { described } from "../../foundation/terminal/CommandLine.ts"
import * as Node from "./Node.ts"

/** `serve` */
export const serve = Command.make("serve", {}, () => Node.launch).pipe(
  Command.withDescription(
    described("Start the server and its workers. Settings come from environment variables", "serve", {
      0: "Stopped by a signal, such as Ctrl+C"
    })
  )
)
