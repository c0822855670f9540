import { describe, expect } from "bun:test"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { print } from "../../../src/foundation/terminal/Output.ts"
import { it } from "../../harness.ts"

const printed = (value: unknown, asJson: boolean) =>
  Console.consoleWith((base) => {
    const said: Array<string> = []
    const heard: Console.Console = {
      ...base,
      log: (...parts) =>
        Effect.sync(() => {
          said.push(parts.join(" "))
        })
    }
    return print(value, asJson).pipe(
      Effect.withConsole(heard),
      Effect.map(() => said.join("\n"))
    )
  })

describe("the output of a command", () => {
  it("shows foreign names unchanged, except for characters that would hide or forge a line", function* () {
    const record = { id: "1", name: "harmless\nid  2\u001b[8m\u202e" }
    expect(yield* printed(record, false)).toBe("id    1\nname  harmless\\nid  2\\u{1b}[8m\\u{202e}")
    expect(yield* printed([record, "a\u0007"], false)).toContain("\n\na\\u{7}")
    expect(JSON.parse(yield* printed(record, true))).toEqual(record)
  })
})
