//! Programs of the Python package index, in a virtual environment of their own: `moto`, a server that speaks the protocol of
//! Amazon S3, and `pyarrow`, which reads Parquet files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::Absent;

/// The versions, and what they need.
const REQUIREMENTS: &str = include_str!("../requirements.txt");

/// The Debian package that makes virtual environments.
const PACKAGES: &str = "python3 python3-venv";

/// The longest start of the server.
const START: Duration = Duration::from_secs(60);

/// The environment with the programs.
#[derive(Debug, Clone)]
pub struct Python {
    folder: PathBuf,
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

fn absent(reason: String) -> Absent {
    Absent { judge: "moto", reason, packages: Some(PACKAGES) }
}

impl Python {
    /// Looks for a Python that can make the environment.
    ///
    /// # Errors
    ///
    /// [`Absent`] if there is none.
    pub fn find() -> Result<Python, Absent> {
        let can = Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
        match can {
            Ok(output) if output.status.success() => {
                Ok(Python { folder: target().join("judges-python") })
            }
            Ok(output) => Err(absent(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            Err(error) => Err(absent(error.to_string())),
        }
    }

    /// Makes the environment in `target/judges-python`, if it is not there or has other versions. The package index must be
    /// reachable then.
    ///
    /// # Errors
    ///
    /// [`Absent`] if it cannot be made.
    pub fn prepared() -> Result<Python, Absent> {
        let Python { folder } = Python::find()?;
        let target = target();
        let io = |error: std::io::Error| absent(error.to_string());
        std::fs::create_dir_all(&target).map_err(io)?;
        // Tests of several processes look for it at the same time.
        let lock = File::create(target.join("judges-python.lock")).map_err(io)?;
        lock.lock().map_err(io)?;
        let stamp = folder.join("requirements.txt");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == REQUIREMENTS) {
            return Ok(Python { folder });
        }
        let run = |program: &OsStr, arguments: &[&OsStr]| {
            let output = Command::new(program).args(arguments).output().map_err(io)?;
            match output.status.success() {
                true => Ok(()),
                false => Err(absent(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            }
        };
        let wanted = target.join("judges-python.txt");
        std::fs::write(&wanted, REQUIREMENTS).map_err(io)?;
        run("python3".as_ref(), &["-m".as_ref(), "venv".as_ref(), folder.as_ref()])?;
        let pip = folder.join("bin/pip");
        let install: [&OsStr; 4] =
            ["install".as_ref(), "--quiet".as_ref(), "-r".as_ref(), wanted.as_ref()];
        run(pip.as_ref(), &install)?;
        // Written last: an installation that was interrupted is repeated.
        std::fs::write(&stamp, REQUIREMENTS).map_err(io)?;
        Ok(Python { folder })
    }

    /// The folder of the environment.
    pub fn description(&self) -> String {
        self.folder.display().to_string()
    }

    /// Runs a script. Returns its output.
    ///
    /// # Errors
    ///
    /// What the script writes to standard error, if it fails.
    pub fn run(&self, script: &str, arguments: &[&OsStr]) -> Result<String, String> {
        let output = Command::new(self.folder.join("bin/python"))
            .args(["-c", script])
            .args(arguments)
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Starts an S3 server on a free port of this machine.
    ///
    /// # Errors
    ///
    /// The reason why it does not start.
    pub fn serve_s3(&self) -> Result<S3Server, String> {
        let mut child = Command::new(self.folder.join("bin/moto_server"))
            .args(["-H", "127.0.0.1", "-p", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (send, receive) = channel();
        let stderr = child.stderr.take();
        let mut server = S3Server { child, address: String::new() };
        std::thread::spawn(move || {
            // The rest is read too, so that the server does not block on a full pipe.
            for line in stderr
                .into_iter()
                .flat_map(|stderr| BufReader::new(stderr).lines().map_while(Result::ok))
            {
                let _ = send.send(line);
            }
        });
        loop {
            let line = receive.recv_timeout(START).map_err(|_| "the server does not start")?;
            if let Some((_, address)) = line.split_once("Running on http://") {
                address.trim().clone_into(&mut server.address);
                return Ok(server);
            }
        }
    }
}

/// A running server. It ends when this value is dropped.
#[derive(Debug)]
pub struct S3Server {
    child: Child,
    address: String,
}

impl S3Server {
    /// The address: `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends a request such as `PUT /bucket`, and returns the answer with its head. The server does not check signatures.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn request(&self, request: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(&self.address)?;
        let head = format!(
            "{request} HTTP/1.1\r\nHost: {}\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        // It may have ended; then both calls do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
