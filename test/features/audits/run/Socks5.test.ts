import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { type Reading, readGreeting, readRequest, refusals, reply } from "../../../../src/features/audits/run/Proxy.ts"

/** What was read, "more" when the message is not complete, or the refusal. */
const outcome = <A>(reading: Reading<A>) =>
  Either.match(reading, {
    onLeft: (refusal) => refusal,
    onRight: Option.match({
      onNone: () => "more" as const,
      onSome: ({ length, value }) => ({ length, value: value instanceof URL ? value.href : value })
    })
  })

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)
const toName = (name: string, port = [0x1f, 0x90]) => bytes(5, 1, 0, 3, name.length, ...Buffer.from(name), ...port)

describe("a SOCKS5 greeting", () => {
  test("must offer to do without authentication", () => {
    expect(outcome(readGreeting(bytes(5, 1, 0)))).toEqual({ length: 3, value: undefined })
    expect(outcome(readGreeting(bytes(5, 3, 2, 1, 0, 9)))).toEqual({ length: 5, value: undefined })
    expect(outcome(readGreeting(bytes(5, 1, 2)))).toBe(refusals.failed)
    expect(outcome(readGreeting(bytes(5, 0)))).toBe(refusals.failed)
  })

  test("must be of version 5: neither SOCKS4 nor HTTP is spoken here", () => {
    expect(outcome(readGreeting(bytes(4, 1, 0)))).toBe(refusals.failed)
    expect(outcome(readGreeting(Buffer.from("CONNECT a:1 HTTP/1.1\r\n\r\n")))).toBe(refusals.failed)
  })
})

describe("a SOCKS5 request", () => {
  test("names a host", () => {
    expect(outcome(readRequest(toName("shop.example")))).toEqual({ length: 19, value: "http://shop.example:8080/" })
  })

  test("names an address, as bytes or as text", () => {
    expect(outcome(readRequest(bytes(5, 1, 0, 1, 127, 0, 0, 1, 0, 81)))).toEqual({
      length: 10,
      value: "http://127.0.0.1:81/"
    })
    const loopback = bytes(5, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 81)
    expect(outcome(readRequest(loopback))).toEqual({ length: 22, value: "http://[::1]:81/" })
    expect(outcome(readRequest(toName("::1", [0, 81])))).toEqual({ length: 10, value: "http://[::1]:81/" })
    expect(outcome(readRequest(toName("0x7f.1", [0, 81])))).toEqual({ length: 13, value: "http://127.0.0.1:81/" })
  })

  test("is refused for anything that is not a plain host and port", () => {
    for (const name of ["", "a/b", "a@b", "a b", "a?b", "a#b", "a%2eb", "[::1]:1", "1:2:3", "a:1", "ä"])
      expect([name, outcome(readRequest(toName(name)))]).toEqual([name, refusals.addressNotSupported])
    expect(outcome(readRequest(toName("a.example", [0, 0])))).toBe(refusals.addressNotSupported)
    expect(outcome(readRequest(bytes(5, 1, 0, 9, 1, 1)))).toBe(refusals.addressNotSupported)
  })

  test("is refused for other commands than CONNECT, UDP above all", () => {
    for (const command of [0, 2, 3]) {
      expect(outcome(readRequest(bytes(5, command, 0, 1, 8, 8, 8, 8, 0, 53)))).toBe(refusals.commandNotSupported)
    }
  })

  test("is read the same however it is cut, and what follows it is left", () => {
    fc.assert(
      fc.property(
        fc.domain().filter((name) => name.length < 256),
        fc.integer({ max: 65_535, min: 1 }),
        fc.uint8Array({ maxLength: 20 }),
        (name, port, rest) => {
          const whole = toName(name, [port >> 8, port & 255])
          for (let cut = 0; cut < whole.length; cut++) expect(outcome(readRequest(whole.subarray(0, cut)))).toBe("more")
          expect(outcome(readRequest(Uint8Array.of(...whole, ...rest)))).toEqual({
            length: whole.length,
            value: new URL(`http://${name}:${port}/`).href
          })
        }
      ),
      { numRuns: 50 }
    )
  })

  test("never throws, whatever comes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
        expect(() => [readGreeting(any), readRequest(any), readRequest(Uint8Array.of(5, 1, 0, ...any))]).not.toThrow()
      })
    )
  })

  test("is answered without telling where the proxy speaks from", () => {
    expect([...reply(0)]).toEqual([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    expect([...reply(refusals.notAllowed)].slice(0, 2)).toEqual([5, 2])
  })
})
