//! A cache of what was compiled, shared by runs and machines: a folder, or a bucket of a cloud.
//!
//! The name of an object is a hash of all that its contents depend on ([`Key`]), so an object never becomes out of date, and nobody
//! changes one. An object begins with a line that has the SHA-256 of its name and of its bytes, so an object that is damaged, cut
//! off or in the wrong place is recognised. The crate `object_store` stores an object whole or not at all.

use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "cloud")]
use std::time::Duration;

use object_store::local::LocalFileSystem;
use object_store::path::Path as Place;
use object_store::{ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};
use url::Url;

/// The first word of an object, with the version of the format.
const MAGIC: &str = "crestline-cache-1";

/// The most bytes of an object.
const OBJECT_BYTES: u64 = 256 << 20;

/// Objects that are read at the same time.
const AT_ONCE: usize = 64;

/// What the result of a compilation depends on, as a hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// The key of values in an order that the caller defines. Two lists have the same key only if they are equal.
    pub fn of(values: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for value in values {
            hash.update((value.len() as u64).to_le_bytes());
            hash.update(value);
        }
        Key(hexadecimal(&hash.finalize()))
    }

    /// 64 hexadecimal digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The name of the object with a part of the result, such as `rows`: `PART/ab/cdef...`.
    fn place(&self, part: &str) -> Place {
        let (folder, name) = self.0.split_at(2);
        Place::from_iter([part, folder, name])
    }
}

/// Bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why a cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The URL is malformed, or of no known kind.
    #[error("`{url}`: expected a folder, file:, s3:, gs:, az: or abfs: ({reason})")]
    Url {
        /// The URL.
        url: String,
        /// The reason.
        reason: String,
    },
    /// This program is built without the feature for clouds.
    #[error(
        "`{0}`: this program is built without the feature `cloud`, so a cache must be a folder"
    )]
    NoCloud(String),
    /// The folder cannot be made.
    #[error("{}: cannot make the folder: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The folder or the server gives an error.
    #[error("{0}")]
    Store(#[from] object_store::Error),
    /// An object is larger than all that are written.
    #[error("an object of the cache has {0} bytes: expected at most {OBJECT_BYTES}")]
    Size(u64),
}

/// What the cache has for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The bytes that were stored.
    Bytes(Vec<u8>),
    /// Nothing was stored.
    Nothing,
    /// An object whose hash is another one.
    Damaged,
}

/// A cache in a folder or in a cloud. Several threads may use it at the same time.
#[derive(Debug)]
pub struct Cache {
    store: Arc<dyn ObjectStore>,
    /// The part of the URL behind the bucket.
    base: Place,
    runtime: tokio::runtime::Runtime,
}

impl Cache {
    /// Opens a cache: a folder, which is made if it does not exist, or a URL (`file:`, and with the feature `cloud` `s3:`, `gs:`, `az:`
    /// and `abfs:`). A cloud's region, keys and endpoint come from the environment, in the variables that its own tools read:
    /// `AWS_*`, `GOOGLE_*`, `AZURE_*`.
    ///
    /// # Errors
    ///
    /// The URL is of no known kind, the environment lacks something, or the folder cannot be made.
    pub fn open(place: &str) -> Result<Cache, CacheError> {
        // HTTP needs timers and sockets, which are enabled if they are built.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| object_store::Error::Generic {
            store: "cache",
            source: Box::new(error),
        })?;
        let (store, base) = match place.contains("://") {
            false => (folder(Path::new(place))?, Place::default()),
            true => from_url(place)?,
        };
        Ok(Cache { store, base, runtime })
    }

    /// Reads an object for each key.
    ///
    /// # Errors
    ///
    /// The folder or the server gives an error other than that an object does not exist.
    pub fn get(&self, keys: &[Key], part: &str) -> Result<Vec<Found>, CacheError> {
        let mut found = Vec::with_capacity(keys.len());
        self.runtime.block_on(async {
            for keys in keys.chunks(AT_ONCE) {
                let tasks: Vec<_> = keys
                    .iter()
                    .map(|key| {
                        let (store, name) = (Arc::clone(&self.store), key.place(part));
                        let place = self.base.parts().chain(name.parts()).collect();
                        tokio::spawn(read(store, place, name))
                    })
                    .collect();
                for task in tasks {
                    let read = task
                        .await
                        .map_err(|error| object_store::Error::JoinError { source: error })?;
                    found.push(read?);
                }
            }
            Ok(found)
        })
    }

    /// Stores an object.
    ///
    /// # Errors
    ///
    /// The folder or the server gives an error.
    pub fn put(&self, key: &Key, part: &str, bytes: &[u8]) -> Result<(), CacheError> {
        let name = key.place(part);
        let place = self.base.parts().chain(name.parts()).collect();
        let mut object = format!("{MAGIC} {}\n", seal(&name, bytes)).into_bytes();
        object.extend_from_slice(bytes);
        if object.len() as u64 > OBJECT_BYTES {
            return Err(CacheError::Size(object.len() as u64));
        }
        self.runtime.block_on(self.store.put(&place, object.into()))?;
        Ok(())
    }
}

/// The hash of an object's name and bytes.
fn seal(name: &Place, bytes: &[u8]) -> String {
    let Key(hash) = Key::of(&[MAGIC.as_bytes(), name.as_ref().as_bytes(), bytes]);
    hash
}

/// Reads an object and checks its hash.
async fn read(store: Arc<dyn ObjectStore>, place: Place, name: Place) -> Result<Found, CacheError> {
    let object = match store.get(&place).await {
        Ok(object) if object.meta.size > OBJECT_BYTES => return Ok(Found::Damaged),
        Ok(object) => object.bytes().await?,
        Err(object_store::Error::NotFound { .. }) => return Ok(Found::Nothing),
        Err(error) => return Err(error.into()),
    };
    let sealed = || {
        let rest = object.strip_prefix(MAGIC.as_bytes())?.strip_prefix(b" ")?;
        let (hash, rest) = rest.split_at_checked(64)?;
        let bytes = rest.strip_prefix(b"\n")?;
        (hash == seal(&name, bytes).as_bytes()).then(|| bytes.to_vec())
    };
    Ok(sealed().map_or(Found::Damaged, Found::Bytes))
}

/// A folder.
fn folder(path: &Path) -> Result<Arc<dyn ObjectStore>, CacheError> {
    std::fs::create_dir_all(path)
        .map_err(|error| CacheError::Folder { path: path.to_owned(), error })?;
    Ok(Arc::new(LocalFileSystem::new_with_prefix(path)?))
}

/// What a URL names, with the path behind the bucket.
fn from_url(text: &str) -> Result<(Arc<dyn ObjectStore>, Place), CacheError> {
    let wrong = |reason: String| CacheError::Url { url: text.to_owned(), reason };
    let url = Url::parse(text).map_err(|error| wrong(error.to_string()))?;
    if url.scheme() == "file" {
        let path = url.to_file_path().map_err(|()| wrong("the path is not absolute".to_owned()))?;
        return Ok((folder(&path)?, Place::default()));
    }
    cloud(text, &url, &wrong)
}

#[cfg(not(feature = "cloud"))]
fn cloud(
    text: &str,
    _: &Url,
    _: &dyn Fn(String) -> CacheError,
) -> Result<(Arc<dyn ObjectStore>, Place), CacheError> {
    Err(CacheError::NoCloud(text.to_owned()))
}

/// A bucket of a cloud. An error of a server is not tried again for long, since the cache only saves time.
#[cfg(feature = "cloud")]
fn cloud(
    text: &str,
    url: &Url,
    wrong: &dyn Fn(String) -> CacheError,
) -> Result<(Arc<dyn ObjectStore>, Place), CacheError> {
    use object_store::aws::AmazonS3Builder;
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;
    use object_store::{ClientOptions, ObjectStoreScheme, RetryConfig};

    // The HTTP client takes the process's provider of cryptography. An error means that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (scheme, base) = ObjectStoreScheme::parse(url).map_err(|error| wrong(error.to_string()))?;
    let retry = RetryConfig {
        max_retries: 3,
        retry_timeout: Duration::from_secs(20),
        ..RetryConfig::default()
    };
    let client = ClientOptions::new()
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(60));
    // A test server, or one in the same network, may have no TLS if the environment says so.
    let http = |name: &str| std::env::var(name).is_ok_and(|value| value == "true" || value == "1");
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::AmazonS3 => Arc::new(
            AmazonS3Builder::from_env()
                .with_client_options(client.with_allow_http(http("AWS_ALLOW_HTTP")))
                .with_url(text)
                .with_retry(retry)
                .build()?,
        ),
        ObjectStoreScheme::GoogleCloudStorage => Arc::new(
            GoogleCloudStorageBuilder::from_env()
                .with_client_options(client.with_allow_http(http("GOOGLE_ALLOW_HTTP")))
                .with_url(text)
                .with_retry(retry)
                .build()?,
        ),
        ObjectStoreScheme::MicrosoftAzure => Arc::new(
            MicrosoftAzureBuilder::from_env()
                .with_client_options(client.with_allow_http(http("AZURE_ALLOW_HTTP")))
                .with_url(text)
                .with_retry(retry)
                .build()?,
        ),
        _ => return Err(wrong(format!("`{}:` is no storage for caches", url.scheme()))),
    };
    Ok((store, base))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("crestline-cache-{name}-{}", std::process::id());
            Scratch(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn keys_are_equal_for_equal_lists_only() {
        let key = |values: &[&str]| {
            Key::of(&values.iter().map(|value| value.as_bytes()).collect::<Vec<_>>())
        };
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        let different = [key(&["ab"]), key(&["a", "b"]), key(&["b", "a"]), key(&["", "ab"])];
        for (at, one) in different.iter().enumerate() {
            assert!(different[at + 1..].iter().all(|other| other != one));
        }
    }

    #[test]
    fn what_is_stored_is_found_and_damage_is_recognised() {
        let scratch = Scratch::new("damage");
        let place = scratch.0.join("deep/cache");
        let cache = Cache::open(place.to_str().unwrap()).unwrap();
        let keys: Vec<Key> = (0..200_u32).map(|number| Key::of(&[&number.to_le_bytes()])).collect();
        for (number, key) in keys.iter().enumerate().skip(1) {
            cache.put(key, "rows", number.to_string().as_bytes()).unwrap();
        }
        // The objects are there for who opens the folder again, by its name or by its URL.
        let again = Cache::open(&format!("file://{}", place.display())).unwrap();
        let found = again.get(&keys, "rows").unwrap();
        assert_eq!(found[0], Found::Nothing);
        for (number, found) in found.iter().enumerate().skip(1) {
            assert_eq!(*found, Found::Bytes(number.to_string().into_bytes()));
        }
        assert_eq!(again.get(&keys[1..2], "programs").unwrap(), [Found::Nothing]);
        // An object in the place of another one, one that is cut off, and one with another byte.
        let file = |number: usize| place.join(keys[number].place("rows").as_ref());
        std::fs::copy(file(1), file(2)).unwrap();
        let bytes = std::fs::read(file(3)).unwrap();
        std::fs::write(file(3), &bytes[..bytes.len() - 1]).unwrap();
        let mut bytes = std::fs::read(file(4)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(file(4), bytes).unwrap();
        std::fs::write(file(5), "").unwrap();
        let found = again.get(&keys[1..7], "rows").unwrap();
        let expected = |text: &str| Found::Bytes(text.into());
        let damaged = || Found::Damaged;
        assert_eq!(
            found,
            [expected("1"), damaged(), damaged(), damaged(), damaged(), expected("6")]
        );
        again.put(&keys[3], "rows", b"new").unwrap();
        assert_eq!(again.get(&keys[3..4], "rows").unwrap(), [expected("new")]);
    }

    #[test]
    fn places_that_are_no_caches_are_errors() {
        let scratch = Scratch::new("wrong");
        std::fs::write(&scratch.0, "a file").unwrap();
        let error = Cache::open(scratch.0.join("below").to_str().unwrap()).unwrap_err();
        assert!(matches!(error, CacheError::Folder { .. }), "{error}");
        std::fs::remove_file(&scratch.0).unwrap();
        assert!(
            matches!(Cache::open("s3://").unwrap_err(), CacheError::Url { .. })
                || cfg!(not(feature = "cloud"))
        );
        for url in ["ftp://a/b", "http://a/b", "memory:///x"] {
            let error = Cache::open(url).unwrap_err();
            let expected = match cfg!(feature = "cloud") {
                true => matches!(error, CacheError::Url { .. }),
                false => matches!(error, CacheError::NoCloud(_)),
            };
            assert!(expected, "{url}: {error}");
        }
    }
}
