import { describe, expect, test } from "bun:test"
import { readText } from "../../../src/crawl/page/Page.ts"
import { sound, unsound } from "../generator/TypedData.ts"

const read = (...blocks: ReadonlyArray<string>) =>
  readText(
    "https://site.test/p",
    blocks.map((text) => `<script type="application/ld+json">${text}</script>`).join(""),
    { name: "utf-8", source: "header" },
    100
  ).dataFaults

const details = (...blocks: ReadonlyArray<string>) => read(...blocks).map(({ detail }) => detail)

const one = (text: string) => `{"@context":"https://schema.org",${text}}`

describe("JSON-LD with all properties that its type requires is valid", () => {
  for (const text of sound) test(text, () => expect(read(text)).toEqual([]))
})

describe("JSON-LD without a required property is invalid", () => {
  for (const text of unsound) test(text, () => expect(read(text)).toHaveLength(1))
})

test("an issue names the type as written and each missing property", () => {
  expect(details(one('"@type":"Product"'))).toEqual(["Product without name, offers or review or aggregateRating"])
  expect(details(one('"@type":"Dentist","name":"x"'))).toEqual(["Dentist without address"])
  expect(
    details(one('"@type":"JobPosting","title":"x","description":"x","datePosted":"x","jobLocation":{"@type":"Place"}'))
  ).toEqual(["JobPosting without hiringOrganization, jobLocation.address"])
  expect(
    details(
      one('"@type":"BreadcrumbList","itemListElement":[{"item":"https://site.test/"},{"name":"Here","position":2}]')
    )
  ).toEqual(["BreadcrumbList without itemListElement.position, itemListElement.name or itemListElement.item.name"])
})

test("a relative URL is quoted, except when it names a node of the document", () => {
  expect(read(one('"@type":"Organization","url":"/about"'))).toEqual([
    { detail: 'Organization with a relative url: "/about"', value: "/about" }
  ])
  expect(details(one('"@type":"Article","@id":"articles/1","url":["https://site.test/1","www.site.test/1"]'))).toEqual([
    'Article with a relative @id: "articles/1"',
    'Article with a relative url: "www.site.test/1"'
  ])
  expect(read(one('"@type":"Organization","@id":"#us"'), one('"@type":"Organization","@id":"_:b0"'))).toEqual([])
})

test("properties in other blocks about the same node count, and so do references to it", () => {
  const shoe = one('"@id":"https://site.test/#shoe","@type":"Product","name":"Shoe"')
  expect(details(shoe)).toEqual(["Product without offers or review or aggregateRating"])
  expect(details(shoe, one('"@id":"https://site.test/#shoe","offers":{"@id":"#offer"}'))).toEqual([])
  const video = one('"@type":"WebPage","video":{"@type":"VideoObject","@id":"https://elsewhere.test/#v"}')
  expect(details(video)).toEqual([])
})

test("a nested review belongs to the item around it, and a review with pros and cons needs no rating", () => {
  const review = '"@type":"Review","author":"A"'
  expect(details(one(review))).toEqual(["Review without itemReviewed, reviewRating"])
  expect(details(one(`"@type":"Recipe","name":"x","image":"x","review":{${review}}`))).toEqual([
    "Review without reviewRating"
  ])
  expect(details(one(`"@type":"Brand","review":{${review},"positiveNotes":{"@type":"ItemList"}}`))).toEqual([])
})

test("deeply nested values and very many nodes are read in bounded work", () => {
  const deep = `${'{"review":'.repeat(20_000)}{"@type":"Product"}${"}".repeat(20_000)}`
  expect(read(one(`"subject":${deep}`)).length).toBeLessThanOrEqual(1)
  const many = Array.from(
    { length: 5000 },
    (_, index) => `{"@type":"Recipe","@id":"#${index % 3}","review":{"@id":"#0"}}`
  )
  expect(read(one(`"@graph":[${many.join(",")}]`)).length).toBeLessThanOrEqual(10)
})
