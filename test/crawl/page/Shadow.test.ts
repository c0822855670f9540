import { expect, test } from "bun:test"
import { readText } from "../../../src/crawl/page/Page.ts"

const read = (body: string) => {
  const { links, text } = readText(
    "http://site.test/",
    `<!doctype html><title>T</title><body>${body}`,
    { name: "utf-8", source: "bom" },
    0
  )
  return { links: links.map(({ raw }) => raw), text: text.excerpt }
}

const root = (content: string) => `<template shadowrootmode="open">${content}</template>`

test("a shadow root shows its content, with the children of its host in its slots", () => {
  const host = `<x-card>${root('<p>a <slot name="n"></slot> b <slot></slot> c</p>')}<i>light</i><b slot="n">named</b></x-card>`
  expect(read(host).text).toBe("a named b light c")
})

test("a slot without children of the host shows its own", () => {
  expect(read(`<x-card>${root("<slot>usual</slot> <slot name=n>other</slot>")}<i slot=n>own</i></x-card>`).text).toBe(
    "usual own"
  )
})

test("a child of the host without a slot is shown nowhere, and its links lead nowhere", () => {
  const host = `<x-card>${root('<a href="/shown">shown</a>')}<a href="/hidden">hidden</a></x-card>`
  expect(read(host)).toEqual({ links: ["/shown"], text: "shown" })
})

test("roots lie in each other, and hand on what is in their slots", () => {
  const inner = `<x-inner>${root("[<slot></slot>]")}<slot></slot></x-inner>`
  expect(read(`<x-outer>${root(`(${inner})`)}word</x-outer>`).text.replaceAll(" ", "")).toBe("([word])")
})

test("a template that is no shadow root stays hidden", () => {
  expect(read("<template><a href=/hidden>hidden</a></template><p>shown</p>")).toEqual({ links: [], text: "shown" })
})
