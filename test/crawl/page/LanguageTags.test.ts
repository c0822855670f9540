import { describe, expect, test } from "bun:test"
import { languageFault } from "../../../src/crawl/page/LanguageTags.ts"

describe("a lang that names what there is not is told with the likely one", () => {
  const faults: Readonly<Record<string, readonly [why: string, likely: string | null]>> = {
    "en-en": ['"en" is no country', "en"],
    "en-EN": ['"en" is no country', "en"],
    "pr-br": ['"pr" is no language', "pt-BR"],
    "en-UK": ['"uk" is no country', "en-GB"],
    english: ['"english" is no language', "en"],
    German: ['"german" is no language', "de"],
    "English (US)": ["it is no language tag", "en"],
    en_US: ["it is no language tag", "en-US"],
    "en_US.UTF-8": ["it is no language tag", "en-US"],
    "en, de": ["it is no language tag", "en"],
    "en-": ["it is no language tag", "en"],
    "en--US": ["it is no language tag", "en-US"],
    "zh-CN-Hans": ["it is no language tag", "zh-Hans-CN"],
    zh_hant: ["it is no language tag", "zh-Hant"],
    xx: ['"xx" is no language', null],
    jp: ['"jp" is no language', "ja"],
    "jp-JP": ['"jp" is no language', "ja-JP"],
    cz: ['"cz" is no language', "cs"],
    dk: ['"dk" is no language', "da"],
    eng: ['"eng" is no language', "en"],
    "eng-US": ['"eng" is no language', "en-US"],
    "en-USA": ['"usa" is no part of a tag', "en"],
    "en-null": ['"null" is no script', "en"],
    null: ['"null" is no language', null],
    undefined: ["it is no language tag", null],
    "{{ lang }}": ["it is no language tag", null],
    "%LANG%": ["it is no language tag", null],
    c: ["it is no language tag", null]
  }
  for (const [lang, [why, likely]] of Object.entries(faults))
    test(lang, () => expect(languageFault(lang)).toEqual({ why, likely }))
})

test("a lang whose parts are registered is none, however rare it is", () => {
  const sound =
    "en EN en-us en-GB de-AT pt-BR es-419 zh-Hant-TW zh-Hans sr-Latn sr-Latn-RS de-CH-1996 sl-rozaj-biske ca-valencia en-GB-oxendict " +
    "cmn cmn-Hans-CN yue zh-yue arb ar-aeb gsw fil haw ckb ast chr tlh en-x-site x-klingon i-klingon i-enochian iw in ji mo sh no nb tl bh " +
    "en-u-ca-gregory de-DE-u-co-phonebk und mul zxx mis sgn sgn-BE-FR en-GB-oed no-bok art-lojban qaa en-EU en-XA az-Cyrl-AZ mn-Mong ja-Jpan hbs nds"
  expect(sound.split(" ").filter((lang) => languageFault(lang) !== null)).toEqual([])
})
