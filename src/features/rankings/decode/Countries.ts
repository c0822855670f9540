/** ISO 3166-1: each country's two letters, and the three that Search Console's API and bulk export write in lower case. */
const codes =
  "AFAFG AXALA ALALB DZDZA ASASM ADAND AOAGO AIAIA AQATA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE BSBHS BHBHR BDBGD BBBRB BYBLR BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BVBVT BRBRA IOIOT BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN KYCYM CFCAF TDTCD CLCHL CNCHN CXCXR CCCCK COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK DJDJI DMDMA DODOM ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF TFATF GAGAB GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY HTHTI HMHMD VAVAT HNHND HKHKG HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KPPRK KRKOR KWKWT KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT MUMUS YTMYT MXMEX FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC NENER NGNGA NUNIU NFNFK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL PNPCN PLPOL PTPRT PRPRI QAQAT REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF GSSGS SSSSD ESESP LKLKA SDSDN SRSUR SJSJM SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA TLTLS TGTGO TKTKL TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR USUSA UMUMI UYURY UZUZB VUVUT VEVEN VNVNM VGVGB VIVIR WFWLF EHESH YEYEM ZMZMB ZWZWE XKXKK".split(
    " "
  )

const languages = "en de fr es it pt nl cs pl ru tr ja zh zh-TW ko sv da nb fi hu ro uk el id vi sk bg ar he th".split(
  " "
)

const folded = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\u2019']/gu, "")
    .toLowerCase()
    .trim()

/** Names that Search Console's interface writes otherwise than the platform does. */
const others: ReadonlyArray<readonly [name: string, code: string]> = [
  ["türkiye", "tur"],
  ["turkey", "tur"],
  ["czech republic", "cze"],
  ["macedonia", "mkd"],
  ["swaziland", "swz"],
  ["myanmar", "mmr"],
  ["bosnia & herzegovina", "bih"],
  ["hong kong", "hkg"],
  ["macao", "mac"],
  ["macau", "mac"],
  ["palestine", "pse"],
  ["côte d'ivoire", "civ"],
  ["congo - kinshasa", "cod"],
  ["congo - brazzaville", "cog"],
  ["unknown region", "zzz"]
]

/** Made when the first name comes: most sources write codes. */
const names = (() => {
  let made: ReadonlyMap<string, string> | undefined
  return () => {
    made ??= new Map([
      ...languages.flatMap((language) => {
        const display = new Intl.DisplayNames([language], { type: "region" })
        return codes.map((code) => [folded(display.of(code.slice(0, 2)) ?? ""), code.slice(2).toLowerCase()] as const)
      }),
      ...others.map(([name, code]) => [folded(name), code] as const)
    ])
    return made
  }
})()

/** The three-letter code of a country, written as such or by its name in a language of the interface; a name that is not known stays as it is. */
export const codeOf = (text: string): string =>
  /^[a-z]{3}$/i.test(text) ? text.toLowerCase() : (names().get(folded(text)) ?? text.toLowerCase())
