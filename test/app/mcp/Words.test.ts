import { describe, expect } from "bun:test"
import { tools } from "../../../src/app/mcp/Protocol.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import { call } from "./wire.ts"

const it = suite(Server.layer)

const absent = "00000000-0000-4000-8000-000000000000"

/** Arguments that fail in different ways: unknown, for missing things, and absent. The declarations themselves are a contract with agents, word for word. */
const attempts: ReadonlyArray<object> = [
  { no_argument_is_called_so: 1 },
  {},
  { site: "nowhere.example" },
  { run: absent },
  { audit: absent },
  { experiment: absent },
  { cursor: "no cursor" },
  { site: "nowhere.example", limit: -1 }
]

describe("errors of the tools for agents", () => {
  for (const { declaration } of tools) {
    it(`${declaration.name} returns errors in the words of the glossary, with a next step`, function* () {
      const { key } = yield* Server.customer()
      const faults: Array<string> = []
      for (const args of attempts) {
        const { answer, isError } = yield* call(key, declaration.name, args)
        if (!isError) continue
        const { message, next } = answer
        const said = `${message} ${next}`
        if (typeof next !== "string" || next.length < 10) faults.push(`${said}: no next step`)
        // Names of arguments belong to the contract.
        const words = strayWords(said).filter(
          (word) => !/^(?:a run|rule) /.test(word) || !/\b(?:run|rules?) /.test(said)
        )
        faults.push(...words.map((word) => `${said}: ${word}`))
      }
      expect(faults).toEqual([])
    })
  }
})
