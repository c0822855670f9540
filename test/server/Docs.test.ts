import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../harness.ts"
import * as Server from "../server.ts"

const it = suite(Server.layer)

/** What a directive of the page's policy allows. */
const allowed = (policy: string, directive: string) =>
  policy
    .split(";")
    .map((part) => part.trim().split(" "))
    .find(([name]) => name === directive)
    ?.slice(1)

describe("the pages of the contract", () => {
  it.effect("are allowed to ask this server alone", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* Server.send("GET", "/docs")
      expect(status).toBe(200)
      const policy = headers.get("content-security-policy") ?? ""
      expect(allowed(policy, "default-src")).toEqual(["'none'"])
      expect(allowed(policy, "connect-src")).toEqual(["'self'"])
      for (const source of ["script-src", "style-src", "img-src", "font-src"]) {
        expect(
          (allowed(policy, source) ?? []).filter((from) => !/^(?:'self'|'unsafe-inline'|data:|blob:)$/.test(from))
        ).toEqual([])
      }
      expect(String(body)).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//)
    })
  )

  it.effect("have fonts, the bar that shares, the app and usage counts turned off", () =>
    Effect.map(Server.send("GET", "/docs"), ({ body }) => {
      const [, configuration = "{}"] = /JSON\.stringify\((\{.*\})\)/.exec(String(body)) ?? []
      expect(JSON.parse(configuration)).toMatchObject({
        hideClientButton: true,
        showToolbar: "never",
        telemetry: false,
        withDefaultFonts: false
      })
    })
  )
})
