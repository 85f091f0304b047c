//! The names of classes of characters that Go's `regexp/syntax` knows.

/// What `\d`, `\s`, `\w` and their opposites hold in Go: ASCII alone.
pub(super) fn ascii_class(c: char) -> Option<&'static str> {
    Some(match c {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => "[\\t\\n\\f\\r ]",
        'S' => "[^\\t\\n\\f\\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    })
}

/// Whether a name is allowed between `[:` and `:]`.
pub(super) fn posix_class(name: &str) -> bool {
    const NAMES: &str = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";
    let name = name.strip_prefix('^').unwrap_or(name);
    NAMES.split(' ').any(|known| known == name)
}

/// The class of `\p{name}` in the syntax of the `regex` crate. Go knows categories by their short names and scripts by their long
/// ones, written exactly so; the further names of Go 1.25 are rejected, as in older servers.
pub(super) fn unicode_class(name: &str, negated: bool) -> Option<String> {
    let mark = if negated { "^" } else { "" };
    let members = match name {
        "Any" => "\\x{0}-\\x{10FFFF}".to_owned(),
        // In Go this leaves out what is not assigned.
        "C" => "\\p{gc=Cc}\\p{gc=Cf}\\p{gc=Co}".to_owned(),
        // Surrogates, which no text holds.
        "Cs" if negated => return Some("[\\x{0}-\\x{10FFFF}]".to_owned()),
        "Cs" => return Some("[^\\x{0}-\\x{10FFFF}]".to_owned()),
        _ if name.is_empty() => return None,
        _ if CATEGORIES.split_ascii_whitespace().any(|known| known == name) => format!("\\p{{gc={name}}}"),
        _ if SCRIPTS.split_ascii_whitespace().any(|known| known == name) => format!("\\p{{sc={name}}}"),
        _ => return None,
    };
    Some(format!("[{mark}{members}]"))
}

const CATEGORIES: &str =
    "Cc Cf Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

/// Those of Unicode 15, which Go has had since 1.21.
pub(super) const SCRIPTS: &str = "
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille
Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot
Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian
Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana
Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam
Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi
Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki
Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage
Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian
Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet
Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi
Zanabazar_Square
";
