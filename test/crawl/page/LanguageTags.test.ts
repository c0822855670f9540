import { describe, expect, test } from "bun:test"
import { languageFault } from "../../../src/crawl/page/LanguageTags.ts"

describe("an invalid lang is reported with a likely correction", () => {
  const faults: Readonly<Record<string, readonly [why: string, likely: string | null]>> = {
    "en-en": ['"en" is not a country', "en"],
    "en-EN": ['"en" is not a country', "en"],
    "pr-br": ['"pr" is not a language', "pt-BR"],
    "en-UK": ['"uk" is not a country', "en-GB"],
    english: ['"english" is not a language', "en"],
    German: ['"german" is not a language', "de"],
    "English (US)": ["not a language tag", "en"],
    en_US: ["not a language tag", "en-US"],
    "en_US.UTF-8": ["not a language tag", "en-US"],
    "en, de": ["not a language tag", "en"],
    "en-": ["not a language tag", "en"],
    "en--US": ["not a language tag", "en-US"],
    "zh-CN-Hans": ["not a language tag", "zh-Hans-CN"],
    zh_hant: ["not a language tag", "zh-Hant"],
    xx: ['"xx" is not a language', null],
    jp: ['"jp" is not a language', "ja"],
    "jp-JP": ['"jp" is not a language', "ja-JP"],
    cz: ['"cz" is not a language', "cs"],
    dk: ['"dk" is not a language', "da"],
    eng: ['"eng" is not a language', "en"],
    "eng-US": ['"eng" is not a language', "en-US"],
    "en-USA": ['"usa" is not a part of a language tag', "en"],
    "en-null": ['"null" is not a script', "en"],
    null: ['"null" is not a language', null],
    undefined: ["not a language tag", null],
    "{{ lang }}": ["not a language tag", null],
    "%LANG%": ["not a language tag", null],
    c: ["not a language tag", null]
  }
  for (const [lang, [why, likely]] of Object.entries(faults))
    test(lang, () => expect(languageFault(lang)).toEqual({ why, likely }))
})

test("a lang with registered parts is no issue, however rare it is", () => {
  const sound =
    "en EN en-us en-GB de-AT pt-BR es-419 zh-Hant-TW zh-Hans sr-Latn sr-Latn-RS de-CH-1996 sl-rozaj-biske ca-valencia en-GB-oxendict " +
    "cmn cmn-Hans-CN yue zh-yue arb ar-aeb gsw fil haw ckb ast chr tlh en-x-site x-klingon i-klingon i-enochian iw in ji mo sh no nb tl bh " +
    "en-u-ca-gregory de-DE-u-co-phonebk und mul zxx mis sgn sgn-BE-FR en-GB-oed no-bok art-lojban qaa en-EU en-XA az-Cyrl-AZ mn-Mong ja-Jpan hbs nds"
  expect(sound.split(" ").filter((lang) => languageFault(lang) !== null)).toEqual([])
})
