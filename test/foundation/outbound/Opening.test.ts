import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { client, names } from "./client.ts"
import { literals } from "./hostile.ts"

const strict = (known: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
  client({ allowed: [], resolver: names(known) })

describe("a refused address", () => {
  it("behind a name stays unknown: the refusal is the same for every address of its kind", function* () {
    const told = (address: string) =>
      Effect.map(
        Effect.flip(strict({ intranet: [address] }).vet(new URL("http://intranet/"))),
        (error) => error.message
      )
    const name = "FINDABLE_ALLOW_PRIVATE_NETWORKS"
    const message = `intranet leads to an address that is not public (private); ${name}=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16 allows it`
    for (const address of ["10.1.2.3", "172.20.0.1", "192.168.7.7"]) expect(yield* told(address)).toBe(message)
    expect(yield* told("127.0.0.1")).toBe(yield* told("::1"))
    expect(yield* told("::1")).toEndWith(`(loopback); ${name}=127.0.0.0/8,::1/128 allows it`)
  })

  it("in a URL comes with the setting and a value that opens it", () =>
    Effect.forEach(literals, (text) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(strict().vet(new URL(text)))
        const [, value = ""] = /FINDABLE_ALLOW_PRIVATE_NETWORKS=(\S+) allows it$/.exec(message) ?? []
        expect([text, value]).not.toEqual([text, ""])
        expect(yield* client({ allowed: value.split(","), resolver: names({}) }).vet(new URL(text))).toHaveLength(1)
      })
    ))

  it("is opened by the smallest range with a name of its own", function* () {
    const value = (host: string) =>
      Effect.map(Effect.flip(strict().vet(new URL(`http://${host}/`))), ({ message }) => /=(\S+) /.exec(message)?.[1])
    expect(yield* value("127.0.0.1")).toBe("127.0.0.0/8")
    expect(yield* value("[::1]")).toBe("::1/128")
    expect(yield* value("[::ffff:127.0.0.1]")).toBe("127.0.0.0/8")
    expect(yield* value("192.168.1.5")).toBe("192.168.0.0/16")
    expect(yield* value("[fd12::1]")).toBe("fc00::/7")
    expect(yield* value("[64:ff9b::808:808]")).toBe("64:ff9b::808:808/128")
  })
})
