import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { lackOf } from "../../../src/crawl/rules/Lacks.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, page, soundSite } from "./SoundSite.ts"

describe("the missing part of a URL", () => {
  const lacks = {
    "www.example.com": "the scheme is missing",
    "WWW.Example.com/path?x=1": "the scheme is missing",
    "/www.example.com": "the scheme is missing",
    "https://site.test/www.example.com": "the scheme is missing",
    "example.com/path": "the scheme is missing",
    "example.com:8080/x": "the scheme is missing",
    "localhost:3000/x": "the scheme is missing",
    "192.168.1.1/admin": "the scheme is missing",
    "https//example.com": "the scheme is misspelled",
    "user@example.com": "mailto: is missing",
    "./user@example.com?subject=Hello": "mailto: is missing",
    "user%40example.com": "mailto: is missing",
    "+49 123 456-789": "tel: is missing",
    "{{ url }}": "a value is missing: {{ url }}",
    "%7B%7Burl%7D%7D": "a value is missing: {{url}}",
    "/shop/#{item.slug}": "a value is missing: #{item.slug}",
    "<%= x %>": "a value is missing: <%= x %>",
    "{% url 'home' %}": "a value is missing: {% url 'home' %}",
    "/blog/[[slug]]": "a value is missing: [[slug]]",
    "/user/{id}": "a value is missing: {id}",
    "[object Object]": "a value is missing: [object Object]",
    "%5Bobject%20Object%5D": "a value is missing: [object Object]",
    undefined: "a value is missing: undefined",
    "/products/undefined/": "a value is missing: undefined",
    "null?x=1": "a value is missing: null",
    "/page?id=NaN": "a value is missing: NaN",
    "/page%23part": "# is escaped as %23, so there is no fragment",
    "#undefined": "a value is missing: undefined",
    "mailto:undefined": "a value is missing: undefined"
  }
  test("is found in a template literal", () =>
    expect(lackOf(`/shop/\${item.slug}`)).toBe(`a value is missing: \${item.slug}`))
  for (const [raw, lack] of Object.entries(lacks))
    test(`is found in ${raw}: ${lack}`, () => expect(lackOf(raw)).toBe(lack))

  const sound = ["/about", "index.html", "about.php", "/@user", "https://www.example.com/", "//www.example.com/x"]
  for (const raw of [
    ...sound,
    "/undefined-behaviour",
    "/nullable",
    "mailto:user@example.com",
    "/docs/readme.md",
    "#top"
  ])
    test(`is null for ${raw}, which is complete`, () => expect(lackOf(raw)).toBeNull())
})

const found = (rule: string, hrefs: ReadonlyArray<string>, changes: Readonly<Record<string, Reply>> = {}) => {
  const body = hrefs.map((href, index) => `<a href="${href}">link ${index}</a>`).join(" ")
  return Effect.map(
    Effect.provide(
      report(`${origin}/`),
      memoryOutbound(soundSite({ "/a": page("/a", { body }), ...changes }, Object.keys(changes)))
    ),
    ({ findings }) => findings.find((each) => each.rule === rule)
  )
}

it("all broken links of a page are named, each with its missing part", function* () {
  const hrefs = ["www.example.com", "user@example.com", "{{ url }}", "undefined", "[object Object]", "/old", "/older"]
  const finding = yield* found("broken_link", hrefs)
  const [item] = finding?.evidence.items ?? []
  expect(item?.detail).toBe(
    [
      `7 links: "link 0" → ${origin}/www.example.com (404) (the scheme is missing)`,
      `"link 1" → ${origin}/user@example.com (404) (mailto: is missing)`,
      `"link 2" → ${origin}/%7B%7B%20url%20%7D%7D (404) (a value is missing: {{ url }})`,
      `"link 3" → ${origin}/undefined (404) (a value is missing: undefined)`,
      `"link 4" → ${origin}/[object%20Object] (404) (a value is missing: [object Object])`,
      `"link 5" → ${origin}/old (404)`,
      `"link 6" → ${origin}/older (404)`
    ].join(", ")
  )
})

it("an existing page is no broken link, with any URL", function* () {
  const changes = { "/null": page("/null"), "/www.example.com": page("/www.example.com") }
  expect((yield* found("broken_link", ["/null", "www.example.com"], changes))?.status).toBe("pass")
})

it("a host that reads as a scheme, and a missing value in a host or a mailbox, make a link invalid", function* () {
  const hrefs = [
    "example.com:8080/x",
    "http://{{host}}/",
    "https://undefined/x",
    "mailto:{{ mail }}",
    "tel:+49123456",
    "mailto:user@example.com",
    "myapp:open"
  ]
  const finding = yield* found("link_invalid", hrefs)
  expect(finding?.evidence.items[0]?.detail).toBe(
    [
      '4 links: "example.com:8080/x" (the scheme is missing)',
      '"http://{{host}}/" (a value is missing: {{host}})',
      '"https://undefined/x" (a value is missing: undefined)',
      '"mailto:{{ mail }}" (a value is missing: {{ mail }})'
    ].join(", ")
  )
})
