import { expect } from "bun:test"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import { serve } from "./site/Server.ts"

const page = (response: ServerResponse, title: string, links: ReadonlyArray<string> = []) =>
  response.writeHead(200, { "content-type": "text/html" }).end(html({ title, links }))

const to = (response: ServerResponse, location: string, ...cookies: ReadonlyArray<string>) =>
  response.writeHead(302, { location, ...(cookies.length === 0 ? {} : { "set-cookie": [...cookies] }) }).end()

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** Crawls a real server whose start page links to these paths; other paths return 404. */
const crawled = (links: ReadonlyArray<string>, answers: Readonly<Record<string, Answer>>) =>
  Effect.gen(function* () {
    const server = yield* serve(() => (request, response) => {
      const answer = answers[request.url ?? ""]
      if (answer !== undefined) answer(request, response)
      else if (request.url === "/") page(response, "Home", links)
      else response.writeHead(404).end()
    })
    const { pages } = yield* Effect.provide(report(`${server.origin}/`), loopback)
    const reasons = Object.fromEntries(pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason]))
    return { reasons, seen: server.seen }
  })

const wall: Readonly<Record<string, Answer>> = {
  "/article": (request, response) =>
    request.headers.cookie === "consent=1" ? page(response, "Article", ["/behind"]) : to(response, "/consent"),
  "/consent": (_, response) => to(response, "/article", "consent=1; Path=/"),
  "/behind": (_, response) => page(response, "Behind")
}

for (const links of [["/article"], ["/consent", "/article"], ["/article", "/consent"]]) {
  it(`a page behind a cookie wall that opens by another URL is a page, and its links are followed (${links.join(", ")})`, function* () {
    const { reasons } = yield* crawled(links, wall)
    expect(reasons).toMatchObject({ "/article": "ok", "/behind": "ok" })
    expect(reasons["/consent"]).toBe("redirect_temporary")
  })
}

it("a cookie wall of two redirects leads to the page", function* () {
  const { reasons } = yield* crawled(["/a"], {
    "/a": (request, response) => (request.headers.cookie === "x=1" ? page(response, "A") : to(response, "/b")),
    "/b": (_, response) => to(response, "/c"),
    "/c": (_, response) => to(response, "/a", "x=1; Path=/")
  })
  expect(reasons).toMatchObject({ "/a": "ok", "/b": "redirect_temporary", "/c": "redirect_temporary" })
})

it("a cookie wall may lead to another page", function* () {
  const { reasons } = yield* crawled(["/a"], {
    "/a": (request, response) => to(response, request.headers.cookie === "x=1" ? "/d" : "/b"),
    "/b": (_, response) => to(response, "/a", "x=1; Path=/"),
    "/d": (_, response) => page(response, "D")
  })
  expect(reasons).toMatchObject({ "/a": "redirect_temporary", "/b": "redirect_temporary", "/d": "ok" })
})

it("circular redirects are a redirect loop when their cookies change nothing", function* () {
  const { reasons } = yield* crawled(["/a"], {
    "/a": (_, response) => to(response, "/b"),
    "/b": (_, response) => to(response, "/a", "x=1; Path=/")
  })
  expect(reasons).toMatchObject({ "/a": "redirect_loop", "/b": "redirect_loop" })
})

it("cookies of the start page go with every request of the crawl, and cookies of other pages with none", function* () {
  const { reasons, seen } = yield* crawled(["/one", "/two"], {
    "/": (request, response) =>
      request.headers.cookie === "start=1"
        ? page(response, "Home", ["/one", "/two"])
        : to(response, "/", "start=1; Path=/"),
    "/one": (_, response) => {
      response.setHeader("set-cookie", "one=1; Path=/")
      page(response, "One")
    },
    "/two": (_, response) => page(response, "Two")
  })
  expect(reasons).toMatchObject({ "/one": "ok", "/two": "ok" })
  const cookiesOf = (path: string) => new Set(seen.filter((one) => one.path === path).map(({ cookie }) => cookie))
  expect([...cookiesOf("/one"), ...cookiesOf("/two")]).toEqual(["start=1", "start=1"])
})

it("a malformed cookie is ignored, and the pages of the site are crawled", function* () {
  const { reasons } = yield* crawled(["/one"], {
    "/": (_, response) => {
      response.socket?.end(
        `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=\x01\r\n\r\n${html({ title: "Home", links: ["/one"] })}`
      )
    },
    "/one": (_, response) => page(response, "One")
  })
  expect(reasons).toMatchObject({ "/": "ok", "/one": "ok" })
})
