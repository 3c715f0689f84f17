//! Which requests the server accepts.

/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// The secret in the URL of the page: 128 random bits, as hex digits.
#[derive(Clone)]
pub struct Token(String);

/// The operating system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes: {0}")]
pub struct TokenError(String);

impl Token {
    /// A new token from the random bytes of the operating system.
    ///
    /// # Errors
    /// If the operating system gives none.
    pub fn new() -> Result<Token, TokenError> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| TokenError(error.to_string()))?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The hex digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. The time depends on the length of the text only, so that it does not reveal how many
    /// digits are right.
    pub(crate) fn is(&self, text: &str) -> bool {
        let pairs = self.0.bytes().zip(text.bytes());
        let differing = pairs.fold(0, |bits, (a, b)| std::hint::black_box(bits | (a ^ b)));
        self.0.len() == text.len() && differing == 0
    }
}

/// Whether a `Host` field names this server. Another name that resolves to the loopback address (DNS rebinding) is
/// refused.
pub(crate) fn is_own_host(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}"))
}

/// Whether an `Origin` field, which browsers send with a POST, names this server.
pub(crate) fn is_own_origin(origin: &str, port: u16) -> bool {
    origin.strip_prefix("http://").is_some_and(|host| is_own_host(host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::new().expect("random bytes");
        let text = token.text().to_owned();
        assert_eq!(text.len(), 2 * TOKEN_BYTES);
        assert!(token.is(&text));
        assert!(!token.is(&text[1..]) && !token.is("") && !token.is(&format!("{text}0")));
        assert!(!token.is(Token::new().expect("random bytes").text()));
    }

    #[test]
    fn other_hosts_are_refused() {
        assert!(is_own_host("127.0.0.1:80", 80) && is_own_host("localhost:80", 80));
        for host in ["evil.example:80", "127.0.0.1", "127.0.0.1:81", "localhost:80.evil", ""] {
            assert!(!is_own_host(host, 80), "{host}");
        }
        assert!(is_own_origin("http://127.0.0.1:80", 80));
        assert!(!is_own_origin("null", 80) && !is_own_origin("https://evil.example", 80));
    }
}
